import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const work: readonly Screen[] = [
  {
    path: '/',
    component: lazyRouteComponent(() => import('./work-list.tsx'), 'WorkList'),
    may: 'overview:read',
    menu: ['work', 'workList'],
  },
]
