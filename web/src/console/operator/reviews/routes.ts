import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const reviews: readonly Screen[] = [
  {
    path: '/reviews',
    component: lazyPage(() => import('./reviews.tsx'), 'Reviews'),
    may: 'work:read',
    menu: ['work', 'reviews'],
  },
]
