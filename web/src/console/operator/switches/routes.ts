import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const switches: readonly Screen[] = [
  {
    path: '/switches',
    component: lazyPage(() => import('./switches.tsx'), 'Switches'),
    may: 'overview:read',
    menu: ['decisions', 'switches'],
  },
]
