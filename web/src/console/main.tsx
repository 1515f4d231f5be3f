import { createRootRoute, createRoute, createRouter, Outlet, RouterProvider, redirect } from '@tanstack/react-router'
import { facts, isSandbox } from '../lib/facts.ts'
import { plainSearch } from '../lib/search.ts'
import { lazyPage, PageError } from '../ui/lazy-page.tsx'
import { Missing } from '../ui/missing.tsx'
import { start } from '../ui/start.tsx'
import { operatorRoutes } from './operator/routes.ts'
import { partnerRoutes } from './partner/routes.tsx'
import { ConsoleShell } from './shell.tsx'

const root = createRootRoute({
  notFoundComponent: () => (
    <ConsoleShell>
      <Missing home="/" />
    </ConsoleShell>
  ),
})

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    const home = facts.hasOperators ? '/operator' : '/partner'
    throw redirect({ to: isSandbox ? '/playground' : home, replace: true })
  },
})

const sandbox = createRoute({
  getParentRoute: () => root,
  id: 'sandbox',
  component: () => (
    <ConsoleShell>
      <Outlet />
    </ConsoleShell>
  ),
})

const playground = createRoute({
  getParentRoute: () => sandbox,
  path: '/playground',
  component: lazyPage(() => import('../playground/page.tsx'), 'Playground'),
})

const design = createRoute({
  getParentRoute: () => sandbox,
  path: '/design',
  component: lazyPage(() => import('./design.tsx'), 'Design'),
})

const router = createRouter({
  routeTree: root.addChildren([
    index,
    partnerRoutes(root),
    ...(isSandbox ? [sandbox.addChildren([playground, design])] : []),
    ...(facts.hasOperators ? [operatorRoutes(root)] : []),
  ]),
  basepath: '/console',
  ...plainSearch,
  defaultPreload: 'intent',
  // A page must not show revealed data or a secret of one subject after its URL has changed to another subject.
  defaultRemountDeps: ({ params }) => params,
  defaultErrorComponent: PageError,
})

void start(
  {
    en: async () => (await import('./text/en.ts')).en,
    de: async () => (await import('./text/de.ts')).de,
  },
  <RouterProvider router={router} />,
)
