import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const reconciliation: readonly Screen[] = [
  {
    path: '/reconciliation',
    component: lazyPage(() => import('./reconciliation.tsx'), 'Reconciliation'),
    may: 'overview:read',
    menu: ['books', 'reconciliation'],
  },
]
