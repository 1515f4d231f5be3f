import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const payouts: readonly Screen[] = [
  {
    path: '/payouts',
    component: lazyPage(() => import('./payouts.tsx'), 'Payouts'),
    may: 'work:read',
    menu: ['work', 'payouts'],
  },
  {
    path: '/payouts/$withdrawalId',
    component: lazyPage(() => import('./payout.tsx'), 'Payout'),
    may: 'work:read',
  },
]
