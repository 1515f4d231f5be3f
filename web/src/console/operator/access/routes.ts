import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const access: readonly Screen[] = [
  {
    path: '/sessions',
    component: lazyRouteComponent(() => import('./sessions.tsx'), 'Sessions'),
    may: 'session',
    menu: ['access', 'sessions'],
  },
  {
    path: '/reads',
    component: lazyRouteComponent(() => import('./reads.tsx'), 'Reads'),
    may: 'reads:read',
    menu: ['access', 'reads'],
  },
]
