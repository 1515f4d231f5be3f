import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const evidence: readonly Screen[] = [
  {
    path: '/evidence',
    component: lazyPage(() => import('./evidence.tsx'), 'Evidence'),
    may: 'evidence:read',
    menu: ['books', 'evidence'],
  },
]
