import { Type } from 'typebox'
import type { Currency } from '../lib/money.ts'
import { group, optional, type ReportProblem, setting } from './setting.ts'

/** Merchant category codes from the first to the last, both included. */
export type MerchantTypes = { readonly first: string; readonly last: string }

/** Amounts in minor units. A currency that is absent has no cap. */
type Caps = Readonly<Record<Currency, bigint>>

type SpendingCaps = {
  /** The cap of one card transaction, with its increments. */
  readonly perTransaction: Caps
  /** The cap of all card transactions of a user that began within 24 hours. */
  readonly daily: Caps
}

export type CardLimits = SpendingCaps & {
  readonly merchantTypes: readonly (MerchantTypes & SpendingCaps)[]
  readonly velocity: { readonly authorizations: number; readonly seconds: number } | null
  readonly refusedMerchantTypes: readonly MerchantTypes[]
  readonly refusedCountries: readonly string[]
}

/** A number for some merchant types, and a default for all others. */
export type FigureByMerchantType = {
  readonly default: number
  readonly merchantTypes: readonly (MerchantTypes & { readonly figure: number })[]
}

/** The percentage by which clearings may exceed the approved amount before a review is opened. */
export type ClearingTolerance = FigureByMerchantType & {
  /** The minimum tolerance in a currency other than the card's. */
  readonly foreign: number
}

const minorUnits = Type.String({ format: 'minor-units' })
const caps = Type.Record(Type.String(), minorUnits, { propertyNames: { format: 'currency' } })
const spendingCaps = {
  perTransaction: Type.Optional(caps),
  daily: Type.Optional(caps),
}
const merchantTypes = Type.Array(Type.String({ format: 'merchant-type' }))

const cardLimits = Type.Object(
  {
    ...spendingCaps,
    merchantTypes: Type.Optional(
      Type.Record(Type.String(), Type.Object(spendingCaps, { additionalProperties: false }), {
        propertyNames: { format: 'merchant-type' },
      }),
    ),
    velocity: Type.Optional(
      Type.Object(
        {
          authorizations: Type.Integer({ minimum: 1, maximum: 100_000 }),
          seconds: Type.Integer({ minimum: 1, maximum: 31 * 86_400 }),
        },
        { additionalProperties: false },
      ),
    ),
    refusedMerchantTypes: Type.Optional(merchantTypes),
    refusedCountries: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Z]{2}$', requirement: 'a country code of two letters' })),
    ),
  },
  { additionalProperties: false },
)

/** `{"default": 7, "7011": 31, "3351-3500": 31}`: named numbers that must be present, and others by merchant type. */
function figures(names: readonly string[], { minimum, maximum }: { minimum: number; maximum: number }) {
  return Type.Record(Type.String(), Type.Integer({ minimum, maximum }), {
    required: names,
    propertyNames: {
      anyOf: [{ enum: names }, { format: 'merchant-type' }],
      requirement: `${names.join(' or ')} or a merchant type such as 7011 or 3351-3500`,
    },
  })
}

export const cards = group('Card programme', 'See "Card programme".', {
  cardLimits: optional('CARD_LIMITS', {
    schema: cardLimits,
    shownDefault: 'none',
    convert: ({ merchantTypes = {}, ...limits }, report): CardLimits => {
      const types = Object.entries(merchantTypes).map(([name, given]) => ({
        ...merchantType(name),
        perTransaction: amounts(given.perTransaction),
        daily: amounts(given.daily),
      }))
      rejectOverlaps(types, report)
      return {
        perTransaction: amounts(limits.perTransaction),
        daily: amounts(limits.daily),
        merchantTypes: types,
        velocity: limits.velocity ?? null,
        refusedMerchantTypes: (limits.refusedMerchantTypes ?? []).map(merchantType),
        refusedCountries: limits.refusedCountries ?? [],
      }
    },
    about: 'JSON object: the limits on card authorizations.',
  }),
  holdDays: setting('HOLD_DAYS', {
    schema: figures(['default'], { minimum: 1, maximum: 365 }),
    default: { default: 7, '3351-3500': 31, '4411': 31, '5541-5542': 3, '7011': 31, '7512': 31 },
    shownDefault: 'see "Card programme"',
    convert: (given, report): FigureByMerchantType => {
      return { default: given['default'] ?? 0, merchantTypes: figuresByType(given, report) }
    },
    about: 'JSON object: the days until a hold expires, counted from the last approval.',
  }),
  clearingTolerance: setting('CLEARING_TOLERANCE', {
    schema: figures(['default', 'foreign'], { minimum: 0, maximum: 1000 }),
    default: {
      ...{ default: 0, foreign: 3, '3351-3500': 15, '4121': 20, '5812-5814': 20 },
      ...{ '7011': 15, '7230': 20, '7512': 15 },
    },
    shownDefault: 'see "Card programme"',
    convert: (given, report): ClearingTolerance => ({
      default: given['default'] ?? 0,
      foreign: given['foreign'] ?? 0,
      merchantTypes: figuresByType(given, report),
    }),
    about: 'JSON object: the percentage by which clearings may exceed the approved amount before a review is opened.',
  }),
})

export const noCardLimits: CardLimits = {
  perTransaction: {},
  daily: {},
  merchantTypes: [],
  velocity: null,
  refusedMerchantTypes: [],
  refusedCountries: [],
}

function amounts(given: Readonly<Record<string, string>> = {}): Caps {
  return Object.fromEntries(Object.entries(given).map(([currency, amount]) => [currency, BigInt(amount)]))
}

function merchantType(text: string): MerchantTypes {
  const [first = '', last = first] = text.split('-')
  return { first, last }
}

function figuresByType(given: Readonly<Record<string, number>>, report: ReportProblem) {
  const types = Object.entries(given)
    .filter(([name]) => /^[0-9]/.test(name))
    .map(([name, figure]) => ({ ...merchantType(name), figure }))
  rejectOverlaps(types, report)
  return types
}

/** Rejects two entries for one merchant type, because only the order of the JSON would decide between them. */
function rejectOverlaps(types: readonly MerchantTypes[], report: ReportProblem): void {
  const sorted = types.toSorted((one, other) => (one.first < other.first ? -1 : 1))
  for (const [i, { first }] of sorted.entries()) {
    const before = sorted[i - 1]
    if (before && before.last >= first) report(`must not cover merchant type ${first} twice.`)
  }
}
