import type { OperatorPermission } from '@purser/client'
import { type AnyRoute, createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../ui/lazy-page.tsx'
import { access } from './access/routes.ts'
import { chains } from './chains/routes.ts'
import { decisions } from './decisions/routes.ts'
import { deposits } from './deposits/routes.ts'
import { domains } from './domains/routes.ts'
import { evidence } from './evidence/routes.ts'
import { keys } from './keys/routes.ts'
import { operators } from './operators/routes.ts'
import { partners } from './partners/routes.ts'
import { payouts } from './payouts/routes.ts'
import { proposals } from './proposals/routes.ts'
import { reconciliation } from './reconciliation/routes.ts'
import { reviews } from './reviews/routes.ts'
import type { Screen } from './screen.ts'
import { search } from './search/routes.ts'
import { switches } from './switches/routes.ts'
import { users } from './users/routes.ts'
import { webhooks } from './webhooks/routes.ts'
import { work } from './work/routes.ts'

/**
 * The screens of operators. Each folder lists its own in its `routes.ts`. The menu shows them in this order.
 *
 * Each screen that the work list links to has the path of its route in the API, after `/console`. For the route
 * `/operator/reviews`, it is `/console/operator/reviews`.
 *
 * The frame gives every screen:
 * - `useOperator()` (`session.tsx`): the client, the operator, `may(permission)`, and the signature of the wallet. A
 *   session that ends in the middle of a request is renewed in place. Requests wait for it, and forms keep their input.
 * - A check of its permission. If the operator lacks the permission, the frame names it in place of the screen.
 * - `usePages` and `PagedTable` (`table.tsx`): a keyset list with all its states.
 * - `DecideButton` and `useDeciding()` (`deciding.tsx`): every change that the wallet signs. The dialogs outlive the
 *   rows that began them.
 * - `TokenAmount`, `UserLink` (`values.tsx`).
 * - Texts that screens share: `text/en.ts` and `text/de.ts`. Texts of a folder: its own `text.ts`, with
 *   `loadedMessages`.
 */
export const screens: readonly Screen[] = [
  ...work,
  ...reviews,
  ...deposits,
  ...payouts,
  ...webhooks,
  ...search,
  ...users,
  ...partners,
  ...proposals,
  ...decisions,
  ...switches,
  ...reconciliation,
  ...chains,
  ...evidence,
  ...access,
  ...operators,
  ...keys,
  ...domains,
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
    component: lazyPage(() => import('./frame.tsx'), 'OperatorFrame'),
  })
  return frame.addChildren(screens.map((screen) => routeOf(frame, screen)))
}

function routeOf(parent: AnyRoute, { path, component, may, children = [] }: Screen): AnyRoute {
  const route = createRoute({ getParentRoute: () => parent, path, component, staticData: { may } })
  return route.addChildren(children.map((child) => routeOf(route, child)))
}
