import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const decisions: readonly Screen[] = [
  {
    path: '/decisions',
    component: lazyRouteComponent(() => import('./decisions.tsx'), 'Decisions'),
    may: 'decisions:read',
    menu: ['decisions', 'decisions'],
  },
  {
    path: '/decisions/$seq',
    component: lazyRouteComponent(() => import('./decision.tsx'), 'DecisionScreen'),
    may: 'decisions:read',
  },
]
