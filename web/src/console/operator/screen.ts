import type { OperatorPermission } from '@purser/client'
import type { RouteComponent } from '@tanstack/react-router'
import type { OperatorMessages } from './text/en.ts'

type MenuMessages = OperatorMessages['menu']

/** A screen of operators: one row of the `routes.ts` of its folder. */
export type Screen = {
  /** The path below `/console/operator`, or below the parent. */
  readonly path: string
  /** It is loaded when somebody opens the screen. */
  readonly component: RouteComponent
  /** The permission that its data needs. */
  readonly may: OperatorPermission
  /** Its place in the menu. */
  readonly menu?: readonly [group: keyof MenuMessages['groups'], label: keyof MenuMessages['labels']]
  /** Screens inside the outlet of this one. */
  readonly children?: readonly Screen[]
}
