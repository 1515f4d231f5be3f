import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../ui/lazy-page.tsx'

/** The pages of partners. Each is loaded when it is opened. */
export function partnerRoutes(root: AnyRoute) {
  const layout = createRoute({
    getParentRoute: () => root,
    path: '/partner',
    component: lazyPage(() => import('./console.tsx'), 'PartnerConsole'),
  })
  const at = { getParentRoute: () => layout }
  return layout.addChildren([
    createRoute({ ...at, path: '/', component: lazyPage(() => import('./start.tsx'), 'Start') }),
    createRoute({ ...at, path: '/users', component: lazyPage(() => import('./users.tsx'), 'Users') }),
    createRoute({
      ...at,
      path: '/users/$userId',
      component: lazyPage(() => import('./user.tsx'), 'UserPage'),
    }),
    createRoute({
      ...at,
      path: '/statistics',
      component: lazyPage(() => import('./statistics.tsx'), 'Statistics'),
    }),
    createRoute({ ...at, path: '/api-keys', component: lazyPage(() => import('./api-keys.tsx'), 'ApiKeys') }),
    createRoute({
      ...at,
      path: '/webhooks',
      component: lazyPage(() => import('./webhooks.tsx'), 'Webhooks'),
    }),
    createRoute({
      ...at,
      path: '/webhooks/$endpointId',
      component: lazyPage(() => import('./endpoint.tsx'), 'EndpointPage'),
    }),
    createRoute({
      ...at,
      path: '/webhooks/$endpointId/$eventId',
      component: lazyPage(() => import('./delivery.tsx'), 'DeliveryPage'),
    }),
    createRoute({ ...at, path: '/events', component: lazyPage(() => import('./events.tsx'), 'Events') }),
    createRoute({
      ...at,
      path: '/events/$eventId',
      component: lazyPage(() => import('./event.tsx'), 'EventPage'),
    }),
    createRoute({
      ...at,
      path: '/requests',
      component: lazyPage(() => import('./requests.tsx'), 'Requests'),
    }),
    createRoute({ ...at, path: '/domains', component: lazyPage(() => import('./domains.tsx'), 'Domains') }),
    createRoute({ ...at, path: '/members', component: lazyPage(() => import('./members.tsx'), 'Members') }),
    createRoute({
      ...at,
      path: '/kyc-clients',
      component: lazyPage(() => import('./kyc-clients.tsx'), 'KycClients'),
    }),
    createRoute({ ...at, path: '/audit', component: lazyPage(() => import('./audit.tsx'), 'Audit') }),
  ])
}
