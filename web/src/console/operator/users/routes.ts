import { lazyRouteComponent } from '@tanstack/react-router'
import type { Screen } from '../screen.ts'

export const users: readonly Screen[] = [
  {
    path: '/users',
    component: lazyRouteComponent(() => import('./users.tsx'), 'Users'),
    may: 'users:read',
    menu: ['users', 'users'],
  },
  {
    path: '/users/$userId',
    component: lazyRouteComponent(() => import('./user.tsx'), 'User'),
    may: 'users:read',
    children: [
      {
        path: '/',
        component: lazyRouteComponent(() => import('./overview.tsx'), 'Overview'),
        may: 'users:read',
      },
    ],
  },
]
