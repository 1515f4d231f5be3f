import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const evidence: readonly Screen[] = [
  {
    path: '/evidence',
    component: lazyRouteComponent(() => import('./evidence.tsx'), 'Evidence'),
    may: 'evidence:read',
    menu: ['books', 'evidence'],
  },
]
