import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const domains: readonly Screen[] = [
  {
    path: '/domains',
    component: lazyPage(() => import('./domains.tsx'), 'SignInDomains'),
    may: 'partners:read',
    menu: ['access', 'domains'],
  },
]
