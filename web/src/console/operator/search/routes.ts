import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

/** The field in the menu opens it. */
export const search: readonly Screen[] = [
  {
    path: '/search',
    component: lazyRouteComponent(() => import('./search.tsx'), 'Search'),
    may: 'users:read',
  },
]
