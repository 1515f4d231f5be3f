// pure
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { EventType } from '../../events/rules.ts'
import { maskName } from '../../lib/mask.ts'

export const cardTypes = ['virtual'] as const

export const cardStatuses = ['provisioning', 'active', 'blocked', 'canceled', 'lost', 'stolen', 'expired'] as const
export type CardStatus = (typeof cardStatuses)[number]

/** The parties that can block a card. It stays blocked while any of them blocks it. */
export const blockers = ['owner', 'issuer', 'compliance'] as const
export type Blocker = (typeof blockers)[number]

export type CardKey = { readonly userId: string; readonly cardId: string }

export type CardState = { readonly status: CardStatus; readonly blockedBy: readonly Blocker[] }

/** Returns the event that reports a change of status to the partner. */
export function cardEvent(from: CardStatus, to: CardStatus): EventType {
  if (to !== 'active') return `card.${to}`
  return from === 'blocked' ? 'card.unblocked' : 'card.activated'
}

/** The possible next states. `canceled`, `lost`, `stolen` and `expired` are final. */
const nextStatuses: Readonly<Record<CardStatus, readonly CardStatus[]>> = {
  provisioning: ['active', 'canceled', 'lost', 'stolen', 'expired'],
  active: ['provisioning', 'blocked', 'canceled', 'lost', 'stolen', 'expired'],
  blocked: ['active', 'canceled', 'lost', 'stolen', 'expired'],
  canceled: [],
  lost: [],
  stolen: [],
  expired: [],
}

/** Whether the issuer sets the state. Only blockers set `blocked`, and only Purser sets `canceled`. */
const setByIssuer = {
  provisioning: true,
  active: true,
  blocked: false,
  canceled: false,
  lost: true,
  stolen: true,
  expired: true,
} as const satisfies Readonly<Record<CardStatus, boolean>>

export type StatusOfIssuer = { [S in CardStatus]: (typeof setByIssuer)[S] extends true ? S : never }[CardStatus]

/** The states that the issuer sets. */
export const statusesOfIssuer = cardStatuses.filter((status): status is StatusOfIssuer => setByIssuer[status])

/** The states that count toward the card limit. */
export const liveStatuses: readonly CardStatus[] = cardStatuses.filter((status) => nextStatuses[status].length > 0)

export function mayBecome(from: CardStatus, to: CardStatus): boolean {
  return from === to || nextStatuses[from].includes(to)
}

/** Returns the state with a blocker added or removed, or null if the card cannot be blocked or unblocked. */
export function withBlocker({ status, blockedBy }: CardState, by: Blocker, isBlocking: boolean): CardState | null {
  if (status !== 'active' && status !== 'blocked') return null
  const others = blockedBy.filter((blocker) => blocker !== by)
  const blockers = isBlocking ? [...others, by] : others
  return { status: blockers.length > 0 ? 'blocked' : 'active', blockedBy: blockers }
}

/**
 * Returns the state after a report by the issuer or owner, or after a cancellation. Returns null if the transition is
 * not allowed.
 */
export function withStatus({ status }: CardState, to: Exclude<CardStatus, 'blocked'>): CardState | null {
  // Only the blockers themselves unblock a card.
  const isUnblocking = status === 'blocked' && to === 'active'
  return mayBecome(status, to) && !isUnblocking ? { status: to, blockedBy: [] } : null
}

const maxNameLength = 50

/** Returns the trimmed card name, or null if it is empty, too long, or has control characters. */
export function parseCardName(text: string): string | null {
  const name = text.trim()
  const isShown = name.isWellFormed() && !/\p{Cc}/u.test(name)
  return isShown && name !== '' && [...name].length <= maxNameLength ? name : null
}

/** Masks the name of a card. Its owner chooses it freely, so it can hold personal data. */
export function maskCardName<T extends { readonly name: string }>(card: T): T {
  return { ...card, name: maskName(card.name) }
}

export type Phone = { readonly phone: string; readonly countryCode: string }

/** Parses a phone number in E.164. Returns null unless it is valid in the numbering plan of its country. */
export function parsePhone(text: string): Phone | null {
  if (!/^\+[1-9][0-9]{1,14}$/.test(text)) return null
  const parsed = parsePhoneNumberFromString(text)
  return parsed?.isValid() ? { phone: parsed.number, countryCode: parsed.countryCallingCode } : null
}
