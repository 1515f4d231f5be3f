import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const payouts: readonly Screen[] = [
  {
    path: '/payouts',
    component: lazyRouteComponent(() => import('./payouts.tsx'), 'Payouts'),
    may: 'work:read',
    menu: ['work', 'payouts'],
  },
  {
    path: '/payouts/$withdrawalId',
    component: lazyRouteComponent(() => import('./payout.tsx'), 'Payout'),
    may: 'work:read',
  },
]
