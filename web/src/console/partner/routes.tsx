import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

/** The pages of partners. Each is loaded when it is opened. */
export function partnerRoutes(root: AnyRoute) {
  const layout = createRoute({
    getParentRoute: () => root,
    path: '/partner',
    component: lazyRouteComponent(() => import('./console.tsx'), 'PartnerConsole'),
  })
  const at = { getParentRoute: () => layout }
  return layout.addChildren([
    createRoute({ ...at, path: '/', component: lazyRouteComponent(() => import('./start.tsx'), 'Start') }),
    createRoute({ ...at, path: '/users', component: lazyRouteComponent(() => import('./users.tsx'), 'Users') }),
    createRoute({
      ...at,
      path: '/users/$userId',
      component: lazyRouteComponent(() => import('./user.tsx'), 'UserPage'),
    }),
    createRoute({
      ...at,
      path: '/statistics',
      component: lazyRouteComponent(() => import('./statistics.tsx'), 'Statistics'),
    }),
    createRoute({ ...at, path: '/api-keys', component: lazyRouteComponent(() => import('./api-keys.tsx'), 'ApiKeys') }),
    createRoute({
      ...at,
      path: '/webhooks',
      component: lazyRouteComponent(() => import('./webhooks.tsx'), 'Webhooks'),
    }),
    createRoute({
      ...at,
      path: '/webhooks/$endpointId',
      component: lazyRouteComponent(() => import('./endpoint.tsx'), 'EndpointPage'),
    }),
    createRoute({
      ...at,
      path: '/webhooks/$endpointId/$eventId',
      component: lazyRouteComponent(() => import('./delivery.tsx'), 'DeliveryPage'),
    }),
    createRoute({ ...at, path: '/events', component: lazyRouteComponent(() => import('./events.tsx'), 'Events') }),
    createRoute({
      ...at,
      path: '/events/$eventId',
      component: lazyRouteComponent(() => import('./event.tsx'), 'EventPage'),
    }),
    createRoute({
      ...at,
      path: '/requests',
      component: lazyRouteComponent(() => import('./requests.tsx'), 'Requests'),
    }),
    createRoute({ ...at, path: '/domains', component: lazyRouteComponent(() => import('./domains.tsx'), 'Domains') }),
    createRoute({ ...at, path: '/members', component: lazyRouteComponent(() => import('./members.tsx'), 'Members') }),
    createRoute({
      ...at,
      path: '/kyc-clients',
      component: lazyRouteComponent(() => import('./kyc-clients.tsx'), 'KycClients'),
    }),
    createRoute({ ...at, path: '/audit', component: lazyRouteComponent(() => import('./audit.tsx'), 'Audit') }),
  ])
}
