import type { OperatorPermission } from '@purser/client'
import { type AnyRoute, createRoute, lazyRouteComponent, type RouteComponent } from '@tanstack/react-router'
import type { OperatorMessages } from './text/en.ts'

/**
 * The screens of operators, one row each. A row has the path below `/console/operator`, the component, which is loaded
 * when somebody opens it, the permission that its data needs, and its place in the menu.
 *
 * A screen has the path of its route in the API: `/operator/reviews` of the API is `/console/operator/reviews`. The links
 * of the work list depend on it.
 *
 * The frame gives every screen:
 * - `useOperator()` (`session.tsx`): the client, the operator, `may(permission)`, and the signature of the wallet.
 *   A session that ends in the middle of a request is renewed in place. Requests wait for it, and forms keep their input.
 * - A screen whose permission is missing is not rendered. The frame names the permission.
 * - `usePages` and `PagedTable` (`table.tsx`): a keyset list with all its states.
 * - `SignDecision` and `ApproveDecision` (`sign-decision.tsx`): every change.
 * - `TokenAmount`, `UserLink` (`values.tsx`). Texts: `text/en.ts` and `text/de.ts`, or `loadedMessages` for a folder's own.
 */
export type Screen = {
  readonly path: string
  readonly component: RouteComponent
  readonly may: OperatorPermission
  readonly menu?: readonly [group: MenuGroup, label: keyof OperatorMessages['menu']['labels']]
  /** Screens inside the outlet of this one. */
  readonly children?: readonly Screen[]
}

type MenuGroup = keyof OperatorMessages['menu']['groups']

export const screens: readonly Screen[] = [
  {
    path: '/',
    component: lazyRouteComponent(() => import('./work/work-list.tsx'), 'WorkList'),
    may: 'overview:read',
    menu: ['work', 'workList'],
  },
  {
    path: '/users',
    component: lazyRouteComponent(() => import('./users/users.tsx'), 'Users'),
    may: 'users:read',
    menu: ['users', 'users'],
  },
  {
    path: '/users/$userId',
    component: lazyRouteComponent(() => import('./users/user.tsx'), 'User'),
    may: 'users:read',
    children: [
      {
        path: '/',
        component: lazyRouteComponent(() => import('./users/overview.tsx'), 'Overview'),
        may: 'users:read',
      },
    ],
  },
  {
    path: '/sessions',
    component: lazyRouteComponent(() => import('./access/sessions.tsx'), 'Sessions'),
    may: 'session',
    menu: ['access', 'sessions'],
  },
]

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The permission without which the frame does not show a screen of operators. */
    readonly may?: OperatorPermission
  }
}

/** Returns the routes below `/console/operator`. */
export function operatorRoutes(root: AnyRoute): AnyRoute {
  const frame = createRoute({
    getParentRoute: () => root,
    path: '/operator',
    component: lazyRouteComponent(() => import('./frame.tsx'), 'OperatorFrame'),
  })
  return frame.addChildren(screens.map((screen) => routeOf(frame, screen)))
}

function routeOf(parent: AnyRoute, { path, component, may, children = [] }: Screen): AnyRoute {
  const route = createRoute({ getParentRoute: () => parent, path, component, staticData: { may } })
  return route.addChildren(children.map((child) => routeOf(route, child)))
}
