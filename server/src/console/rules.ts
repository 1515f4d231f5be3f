// pure
import { hidden, maskName } from '../lib/mask.ts'

/** The personal data of a user, as the registration, the verification, the issuer and the bank know it. */
export type PersonalData = {
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly birthDate: string | null
  readonly nationality: string | null
  readonly street: string | null
  readonly city: string | null
  readonly postalCode: string | null
  readonly phone: string | null
  readonly iban: string | null
}

/** Masks personal data. The remaining characters suffice to compare it with what a person says on the phone. */
export function maskPerson(person: PersonalData): PersonalData {
  return {
    email: maskedEmail(person.email),
    firstName: masked(person.firstName, maskName),
    lastName: masked(person.lastName, maskName),
    birthDate: masked(person.birthDate, () => hidden),
    nationality: masked(person.nationality, () => hidden),
    street: masked(person.street, () => hidden),
    city: masked(person.city, () => hidden),
    postalCode: masked(person.postalCode, () => hidden),
    phone: masked(person.phone, (phone) => `${hidden}${phone.slice(-2)}`),
    iban: masked(person.iban, (iban) => `${iban.slice(0, 2)}${hidden}${iban.slice(-4)}`),
  }
}

export function maskedEmail(email: string | null): string | null {
  return masked(email, maskEmail)
}

function masked(text: string | null, mask: (text: string) => string): string | null {
  return text === null ? null : mask(text)
}

function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)]
  const dot = domain.lastIndexOf('.')
  return `${maskName(local)}@${maskName(domain)}${dot < 0 ? '' : domain.slice(dot)}`
}

/** A text that an operator searches for, by the index that can find it. */
export type Lookup =
  | { readonly by: 'id'; readonly id: string }
  | { readonly by: 'wallet'; readonly address: string }
  | { readonly by: 'email'; readonly email: string }
  | { readonly by: 'event'; readonly eventId: string }
  | { readonly by: 'transaction'; readonly hash: string }
  | { readonly by: 'card'; readonly last4: string; readonly month: number; readonly year: number }
  | { readonly by: 'text'; readonly text: string }

/**
 * Recognizes a text by its form. No form matches a part of a stored value: a search by a part would read every row.
 * Returns null for a text that no stored value can equal.
 */
export function lookupOf(query: string): Lookup | null {
  const text = query.trim()
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return { by: 'id', id: text.toLowerCase() }
  if (/^0x[0-9a-f]{40}$/i.test(text)) return { by: 'wallet', address: text }
  if (/^0x[0-9a-f]{64}$/i.test(text)) return { by: 'transaction', hash: text.toLowerCase() }
  if (/^evt_[0-9a-f]{32}$/.test(text)) return { by: 'event', eventId: text }
  const card = /^(?<last4>\d{4})\s+(?<month>0[1-9]|1[0-2])\/(?:20)?(?<year>\d\d)$/.exec(text)?.groups
  if (card !== undefined)
    return { by: 'card', last4: `${card['last4']}`, month: Number(card['month']), year: 2000 + Number(card['year']) }
  if (/^[^@\s]+@[^@\s]+$/.test(text)) return { by: 'email', email: text }
  return /^[^\p{Cc}]{1,200}$/u.test(text) ? { by: 'text', text } : null
}

/** Counting of waiting work stops at this number. */
export const maxCounted = 1000

export type Cause = { readonly type: 'cardTransaction' | 'deposit' | 'withdrawal'; readonly id: string }

/**
 * Returns the fact that a movement belongs to. The kind of a movement begins with the kind of its fact, except
 * `payout_gas`, which belongs to a withdrawal or return.
 */
export function causeOf({ kind, refId }: { readonly kind: string; readonly refId: string }): Cause {
  if (kind.startsWith('card_')) return { type: 'cardTransaction', id: refId }
  return { type: kind.startsWith('deposit_') ? 'deposit' : 'withdrawal', id: refId }
}
