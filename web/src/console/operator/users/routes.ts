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
      { path: '/cards', component: lazyRouteComponent(() => import('./cards.tsx'), 'Cards'), may: 'users:read' },
      {
        path: '/statement',
        component: lazyRouteComponent(() => import('./statement.tsx'), 'Statement'),
        may: 'users:read',
      },
      {
        path: '/card-transactions/$cardTransactionId',
        component: lazyRouteComponent(() => import('./card-transaction.tsx'), 'CardTransaction'),
        may: 'users:read',
      },
      {
        path: '/deposits',
        component: lazyRouteComponent(() => import('./transfers.tsx'), 'UserDeposits'),
        may: 'users:read',
      },
      {
        path: '/withdrawals',
        component: lazyRouteComponent(() => import('./transfers.tsx'), 'UserWithdrawals'),
        may: 'users:read',
      },
      { path: '/ledger', component: lazyRouteComponent(() => import('./ledger.tsx'), 'Ledger'), may: 'ledger:read' },
      {
        path: '/movements/$seq',
        component: lazyRouteComponent(() => import('./movement.tsx'), 'MovementScreen'),
        may: 'ledger:read',
      },
      { path: '/events', component: lazyRouteComponent(() => import('./events.tsx'), 'Events'), may: 'users:read' },
      {
        path: '/decisions',
        component: lazyRouteComponent(() => import('./decisions.tsx'), 'UserDecisions'),
        may: 'decisions:read',
      },
    ],
  },
]
