import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const deposits: readonly Screen[] = [
  {
    path: '/deposits',
    component: lazyPage(() => import('./deposits.tsx'), 'Deposits'),
    may: 'work:read',
    menu: ['work', 'deposits'],
  },
]
