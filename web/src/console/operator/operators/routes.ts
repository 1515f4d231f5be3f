import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const operators: readonly Screen[] = [
  {
    path: '/operators',
    component: lazyRouteComponent(() => import('./operators.tsx'), 'Operators'),
    may: 'operators:read',
    menu: ['access', 'operators'],
  },
]
