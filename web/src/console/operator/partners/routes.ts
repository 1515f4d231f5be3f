import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const partners: readonly Screen[] = [
  {
    path: '/partners',
    component: lazyPage(() => import('./partners.tsx'), 'Partners'),
    may: 'partners:read',
    menu: ['users', 'partners'],
  },
  {
    path: '/partners/$partnerId',
    component: lazyPage(() => import('./partner.tsx'), 'PartnerScreen'),
    may: 'partners:read',
  },
]
