// pure
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { EventType } from '../../events/rules.ts'

export const cardStatuses = ['provisioning', 'active', 'blocked', 'canceled', 'lost', 'stolen', 'expired'] as const
export type CardStatus = (typeof cardStatuses)[number]

/** Who may block a card. It is blocked while any of them wants it so. */
export type Blocker = 'owner' | 'issuer' | 'compliance'

export type CardKey = { readonly userId: string; readonly cardId: string }

export type CardState = { readonly status: CardStatus; readonly blockedBy: readonly Blocker[] }

/** What the partner is told when a card has become so. */
export function cardEvent(from: CardStatus, to: CardStatus): EventType {
  if (to !== 'active') return `card.${to}`
  return from === 'blocked' ? 'card.unblocked' : 'card.activated'
}

/** From each state to the ones that it may become. `canceled`, `lost`, `stolen` and `expired` are the end of a card. */
const nextStatuses: Readonly<Record<CardStatus, readonly CardStatus[]>> = {
  provisioning: ['active', 'canceled', 'lost', 'stolen', 'expired'],
  active: ['provisioning', 'blocked', 'canceled', 'lost', 'stolen', 'expired'],
  blocked: ['active', 'canceled', 'lost', 'stolen', 'expired'],
  canceled: [],
  lost: [],
  stolen: [],
  expired: [],
}

/** The states that count toward the limit. */
export const liveStatuses: readonly CardStatus[] = cardStatuses.filter((status) => nextStatuses[status].length > 0)

export function mayBecome(from: CardStatus, to: CardStatus): boolean {
  return from === to || nextStatuses[from].includes(to)
}

/** The state with the blocker added or taken away; null: the card is in no state to be blocked or unblocked. */
export function withBlocker({ status, blockedBy }: CardState, by: Blocker, isBlocking: boolean): CardState | null {
  if (status !== 'active' && status !== 'blocked') return null
  const others = blockedBy.filter((blocker) => blocker !== by)
  const blockers = isBlocking ? [...others, by] : others
  return { status: blockers.length > 0 ? 'blocked' : 'active', blockedBy: blockers }
}

/** The state that the issuer reports, or that the owner's cancelling makes; null: it cannot be. */
export function withStatus({ status }: CardState, to: Exclude<CardStatus, 'blocked'>): CardState | null {
  // Only the blockers themselves unblock a card.
  const isUnblocking = status === 'blocked' && to === 'active'
  return mayBecome(status, to) && !isUnblocking ? { status: to, blockedBy: [] } : null
}

const longestName = 50

/** The card's name without the spaces around it; null when it is empty, too long or no text for people. */
export function parseCardName(text: string): string | null {
  const name = text.trim()
  const isShown = name.isWellFormed() && !/\p{Cc}/u.test(name)
  return isShown && name !== '' && [...name].length <= longestName ? name : null
}

export type Phone = { readonly phone: string; readonly countryCode: string }

/** A phone number in E.164, as the numbering plan of its country has it; null when it is not one. */
export function parsePhone(text: string): Phone | null {
  if (!/^\+[1-9][0-9]{1,14}$/.test(text)) return null
  const parsed = parsePhoneNumberFromString(text)
  return parsed?.isValid() ? { phone: parsed.number, countryCode: parsed.countryCallingCode } : null
}
