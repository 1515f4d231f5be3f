import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const chains: readonly Screen[] = [
  {
    path: '/chains',
    component: lazyPage(() => import('./chains.tsx'), 'Chains'),
    may: 'overview:read',
    menu: ['books', 'chains'],
  },
]
