import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const chains: readonly Screen[] = [
  {
    path: '/chains',
    component: lazyRouteComponent(() => import('./chains.tsx'), 'Chains'),
    may: 'overview:read',
    menu: ['books', 'chains'],
  },
]
