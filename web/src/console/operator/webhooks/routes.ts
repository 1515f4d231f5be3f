import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const webhooks: readonly Screen[] = [
  {
    path: '/webhooks/dead',
    component: lazyPage(() => import('./webhooks.tsx'), 'DeadLetters'),
    may: 'work:read',
    menu: ['work', 'webhooks'],
  },
]
