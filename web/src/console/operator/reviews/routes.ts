import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const reviews: readonly Screen[] = [
  {
    path: '/reviews',
    component: lazyRouteComponent(() => import('./reviews.tsx'), 'Reviews'),
    may: 'work:read',
    menu: ['work', 'reviews'],
  },
]
