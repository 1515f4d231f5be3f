import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const reconciliation: readonly Screen[] = [
  {
    path: '/reconciliation',
    component: lazyRouteComponent(() => import('./reconciliation.tsx'), 'Reconciliation'),
    may: 'overview:read',
    menu: ['books', 'reconciliation'],
  },
]
