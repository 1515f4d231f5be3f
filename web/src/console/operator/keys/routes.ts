import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const keys: readonly Screen[] = [
  {
    path: '/signing-keys',
    component: lazyPage(() => import('./keys.tsx'), 'Keys'),
    may: 'partners:read',
    menu: ['access', 'keys'],
  },
]
