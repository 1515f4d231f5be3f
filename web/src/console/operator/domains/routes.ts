import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const domains: readonly Screen[] = [
  {
    path: '/domains',
    component: lazyRouteComponent(() => import('./domains.tsx'), 'Domains'),
    may: 'partners:read',
    menu: ['access', 'domains'],
  },
]
