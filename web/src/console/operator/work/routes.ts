import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const work: readonly Screen[] = [
  {
    path: '/',
    component: lazyPage(() => import('./work-list.tsx'), 'WorkList'),
    may: 'overview:read',
    menu: ['work', 'workList'],
  },
]
