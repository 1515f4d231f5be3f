import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const switches: readonly Screen[] = [
  {
    path: '/switches',
    component: lazyRouteComponent(() => import('./switches.tsx'), 'Switches'),
    may: 'overview:read',
    menu: ['decisions', 'switches'],
  },
]
