import { createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { requireOpen } from '../lib/purser.ts'
import { plainSearch } from '../lib/search.ts'
import { SessionProvider } from '../lib/session.tsx'
import { lazyPage, PageError } from '../ui/lazy-page.tsx'
import { Missing } from '../ui/missing.tsx'
import { start } from '../ui/start.tsx'
import { Frame } from './frame.tsx'
import { Home } from './pages/home.tsx'

const root = createRootRoute({
  component: () => (
    <SessionProvider check={requireOpen}>
      <Frame />
    </SessionProvider>
  ),
  notFoundComponent: () => <Missing home="/" />,
})
const at = { getParentRoute: () => root }

const routes = [
  createRoute({ ...at, path: '/', component: Home }),
  createRoute({
    ...at,
    path: '/deposit',
    component: lazyPage(() => import('./pages/deposit.tsx'), 'Deposit'),
  }),
  createRoute({
    ...at,
    path: '/statement',
    component: lazyPage(() => import('./pages/statement.tsx'), 'Statement'),
  }),
  createRoute({
    ...at,
    path: '/statement/$paymentId',
    component: lazyPage(() => import('./pages/payment.tsx'), 'Payment'),
  }),
  createRoute({ ...at, path: '/cards', component: lazyPage(() => import('./pages/cards.tsx'), 'Cards') }),
  createRoute({
    ...at,
    path: '/cards/$cardId',
    component: lazyPage(() => import('./pages/card.tsx'), 'CardPage'),
  }),
  createRoute({
    ...at,
    path: '/withdraw',
    component: lazyPage(() => import('./pages/withdraw.tsx'), 'Withdraw'),
  }),
  createRoute({
    ...at,
    path: '/settings',
    component: lazyPage(() => import('./pages/settings.tsx'), 'Settings'),
  }),
]

const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/app',
  ...plainSearch,
  defaultPreload: 'intent',
  // A form must not show the input for one card after its URL has changed to another card.
  defaultRemountDeps: ({ params }) => params,
  defaultErrorComponent: PageError,
  scrollRestoration: true,
})

void start(
  {
    en: async () => (await import('./text/en.ts')).en,
    de: async () => (await import('./text/de.ts')).de,
  },
  <RouterProvider router={router} />,
)
