import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const webhooks: readonly Screen[] = [
  {
    path: '/webhooks/dead',
    component: lazyRouteComponent(() => import('./webhooks.tsx'), 'Webhooks'),
    may: 'work:read',
    menu: ['work', 'webhooks'],
  },
]
