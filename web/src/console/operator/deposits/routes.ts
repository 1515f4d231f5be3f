import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const deposits: readonly Screen[] = [
  {
    path: '/deposits',
    component: lazyRouteComponent(() => import('./deposits.tsx'), 'Deposits'),
    may: 'work:read',
    menu: ['work', 'deposits'],
  },
]
