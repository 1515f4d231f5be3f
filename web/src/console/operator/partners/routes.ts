import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const partners: readonly Screen[] = [
  {
    path: '/partners',
    component: lazyRouteComponent(() => import('./partners.tsx'), 'Partners'),
    may: 'partners:read',
    menu: ['users', 'partners'],
  },
  {
    path: '/partners/$partnerId',
    component: lazyRouteComponent(() => import('./partner.tsx'), 'PartnerScreen'),
    may: 'partners:read',
  },
]
