import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const operators: readonly Screen[] = [
  {
    path: '/operators',
    component: lazyPage(() => import('./operators.tsx'), 'Operators'),
    may: 'operators:read',
    menu: ['access', 'operators'],
  },
]
