import { lazyPage } from '../../../ui/lazy-page.tsx'
import type { Screen } from '../screen.ts'

export const users: readonly Screen[] = [
  {
    path: '/users',
    component: lazyPage(() => import('./users.tsx'), 'AllUsers'),
    may: 'users:read',
    menu: ['users', 'users'],
  },
  {
    path: '/users/$userId',
    component: lazyPage(() => import('./user.tsx'), 'User'),
    may: 'users:read',
    children: [
      {
        path: '/',
        component: lazyPage(() => import('./overview.tsx'), 'Overview'),
        may: 'users:read',
      },
      { path: '/cards', component: lazyPage(() => import('./cards.tsx'), 'UserCards'), may: 'users:read' },
      {
        path: '/statement',
        component: lazyPage(() => import('./statement.tsx'), 'UserStatement'),
        may: 'users:read',
      },
      {
        path: '/card-transactions/$cardTransactionId',
        component: lazyPage(() => import('./card-transaction.tsx'), 'CardTransaction'),
        may: 'users:read',
      },
      {
        path: '/deposits',
        component: lazyPage(() => import('./transfers.tsx'), 'UserDeposits'),
        may: 'users:read',
      },
      {
        path: '/withdrawals',
        component: lazyPage(() => import('./transfers.tsx'), 'UserWithdrawals'),
        may: 'users:read',
      },
      { path: '/ledger', component: lazyPage(() => import('./ledger.tsx'), 'Ledger'), may: 'ledger:read' },
      {
        path: '/movements/$seq',
        component: lazyPage(() => import('./movement.tsx'), 'MovementScreen'),
        may: 'ledger:read',
      },
      { path: '/events', component: lazyPage(() => import('./events.tsx'), 'UserEvents'), may: 'users:read' },
      {
        path: '/decisions',
        component: lazyPage(() => import('./decisions.tsx'), 'UserDecisions'),
        may: 'decisions:read',
      },
    ],
  },
]
