import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const decisions: readonly Screen[] = [
  {
    path: '/decisions',
    component: lazyPage(() => import('./decisions.tsx'), 'Decisions'),
    may: 'decisions:read',
    menu: ['decisions', 'decisions'],
  },
  {
    path: '/decisions/$seq',
    component: lazyPage(() => import('./decision.tsx'), 'DecisionScreen'),
    may: 'decisions:read',
  },
]
