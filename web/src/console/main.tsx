import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  RouterProvider,
  redirect,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isSandbox } from '../lib/facts.ts'
import { Shell } from '../ui/layout.tsx'
import { Missing } from '../ui/missing.tsx'
import { start } from '../ui/start.tsx'
import { partnerRoutes } from './partner/routes.tsx'
import { useText } from './text.ts'

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <Frame>
      <Missing home="/" />
    </Frame>
  ),
})

/** The frame of the pages that need no sign-in. */
function Frame({ children }: { children: ReactNode }) {
  const t = useText()
  const link = 'flex min-h-10 items-center rounded-md px-3 text-sm text-soft hover:bg-sunken hover:text-text'
  return (
    <Shell
      home="/"
      title={t.nav.title}
      width="wide"
      nav={
        isSandbox
          ? [
              { label: t.nav.playground, to: '/playground' },
              { label: t.nav.partner, to: '/partner' },
              { label: t.nav.design, to: '/design' },
            ]
          : []
      }
      right={
        <>
          <a className={link} href="/app/">
            {t.nav.app}
          </a>
          <a className={`${link} max-sm:hidden`} href="/docs/">
            {t.nav.reference}
          </a>
        </>
      }
    >
      {children}
    </Shell>
  )
}

const tools = createRoute({
  getParentRoute: () => root,
  id: 'tools',
  component: () => (
    <Frame>
      <Outlet />
    </Frame>
  ),
})

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: isSandbox ? '/playground' : '/partner', replace: true })
  },
})

const playground = createRoute({
  getParentRoute: () => tools,
  path: '/playground',
  component: lazyRouteComponent(() => import('../playground/page.tsx'), 'Playground'),
})

const design = createRoute({
  getParentRoute: () => tools,
  path: '/design',
  component: lazyRouteComponent(() => import('./design.tsx'), 'Design'),
})

const router = createRouter({
  routeTree: root.addChildren([
    index,
    partnerRoutes(root),
    ...(isSandbox ? [tools.addChildren([playground, design])] : []),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
})

void start(
  {
    en: async () => (await import('./text/en.ts')).en,
    de: async () => (await import('./text/de.ts')).de,
  },
  <RouterProvider router={router} />,
)
