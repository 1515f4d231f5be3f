import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

/** The field in the menu opens it. */
export const search: readonly Screen[] = [
  {
    path: '/search',
    component: lazyPage(() => import('./search.tsx'), 'Search'),
    may: 'users:read',
  },
]
