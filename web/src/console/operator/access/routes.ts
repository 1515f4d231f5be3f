import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const access: readonly Screen[] = [
  {
    path: '/sessions',
    component: lazyPage(() => import('./sessions.tsx'), 'Sessions'),
    may: 'session',
    menu: ['access', 'sessions'],
  },
  {
    path: '/reads',
    component: lazyPage(() => import('./reads.tsx'), 'Reads'),
    may: 'reads:read',
    menu: ['access', 'reads'],
  },
]
