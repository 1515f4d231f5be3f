import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const keys: readonly Screen[] = [
  {
    path: '/signing-keys',
    component: lazyRouteComponent(() => import('./keys.tsx'), 'Keys'),
    may: 'partners:read',
    menu: ['access', 'keys'],
  },
]
