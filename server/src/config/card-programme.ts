// pure
import type { Currency } from '../lib/money.ts'
import { fieldsOf, parseFields } from './json-fields.ts'

/** What a programme decides about its cards, as the configuration says it: limits, hold lifetimes, tolerances. */

/** Merchant category codes from one to another, both included. */
export type MerchantTypes = { readonly first: string; readonly last: string }

/** In minor units of a currency; a currency that is absent has no cap. */
type Caps = Readonly<Record<Currency, bigint>>

type SpendingCaps = {
  /** what one payment may come to, with all that is added to it later */
  readonly perTransaction: Caps
  /** what all payments of a user that were opened within 24 hours may come to */
  readonly daily: Caps
}

export type CardLimits = SpendingCaps & {
  readonly merchantTypes: readonly (MerchantTypes & SpendingCaps)[]
  readonly velocity: { readonly authorizations: number; readonly seconds: number } | null
  readonly refusedMerchantTypes: readonly MerchantTypes[]
  readonly refusedCountries: readonly string[]
}

/** A figure for some types of merchant, and the one for all others. */
export type FigureByMerchantType = {
  readonly default: number
  readonly merchantTypes: readonly (MerchantTypes & { readonly figure: number })[]
}

/** How far clearings may pass what was approved before a person looks at it, in percent. */
export type ClearingTolerance = FigureByMerchantType & {
  /** for other merchants, where the payment is not in the card's currency */
  readonly foreign: number
}

export const defaultHoldDays = '{"default": 7, "3351-3500": 31, "4411": 31, "5541-5542": 3, "7011": 31, "7512": 31}'
export const defaultClearingTolerance =
  '{"default": 0, "foreign": 3, "3351-3500": 15, "4121": 20, "5812-5814": 20, "7011": 15, "7230": 20, "7512": 15}'

export function isOfType(mcc: string, { first, last }: MerchantTypes): boolean {
  return mcc >= first && mcc <= last
}

export function figureFor(table: FigureByMerchantType, mcc: string): number {
  return table.merchantTypes.find((types) => isOfType(mcc, types))?.figure ?? table.default
}

type Problem = (wanted: string) => void

export function readHoldDays(given: string, problem: Problem): FigureByMerchantType {
  const { figures, merchantTypes } = readFigures(given, ['default'], { least: 1, most: 365 }, problem)
  return { default: figures['default'] ?? 0, merchantTypes }
}

export function readClearingTolerance(given: string, problem: Problem): ClearingTolerance {
  const { figures, merchantTypes } = readFigures(given, ['default', 'foreign'], { least: 0, most: 1000 }, problem)
  return { default: figures['default'] ?? 0, foreign: figures['foreign'] ?? 0, merchantTypes }
}

/** `{"default": 7, "7011": 31, "3351-3500": 31}`: named figures that must be there, and others by merchant type. */
function readFigures(
  given: string,
  names: readonly string[],
  { least, most }: { least: number; most: number },
  problem: Problem,
) {
  const figures: Record<string, number> = {}
  const merchantTypes: (MerchantTypes & { figure: number })[] = []
  for (const [name, figure] of entriesOf(parseFields(given), 'the value', problem)) {
    if (!isInteger(figure, least, most)) problem(`${name} must be an integer from ${least} to ${most}`)
    else if (names.includes(name)) figures[name] = figure
    else merchantTypes.push(...readTypes(name, problem).map((types) => ({ ...types, figure })))
  }
  for (const name of names) if (figures[name] === undefined) problem(`${name} is missing, or not an integer`)
  refuseOverlaps(merchantTypes, problem)
  return { figures, merchantTypes }
}

/** Nothing given is no limits. Amounts are texts, in minor units of the card's currency. */
export function readCardLimits(given: string | undefined, problem: Problem): CardLimits {
  const fields = new Map(entriesOf(given ? parseFields(given) : {}, 'the value', problem))
  const take = (name: string) => {
    const value = fields.get(name)
    fields.delete(name)
    return value
  }
  const limits: CardLimits = {
    perTransaction: readCaps(take('perTransaction'), 'perTransaction', problem),
    daily: readCaps(take('daily'), 'daily', problem),
    merchantTypes: readTypeCaps(take('merchantTypes'), problem),
    velocity: readVelocity(take('velocity'), problem),
    refusedMerchantTypes: readTexts(take('refusedMerchantTypes'), 'refusedMerchantTypes', problem).flatMap((text) =>
      readTypes(text, problem),
    ),
    refusedCountries: readTexts(take('refusedCountries'), 'refusedCountries', problem),
  }
  for (const country of limits.refusedCountries) {
    if (!/^[A-Z]{2}$/.test(country)) problem(`${country} is not a country code of two letters`)
  }
  refuseUnknown(fields.keys(), '', problem)
  return limits
}

function readTypeCaps(value: unknown, problem: Problem): CardLimits['merchantTypes'] {
  const caps = entriesOf(value ?? {}, 'merchantTypes', problem).flatMap(([name, given]) => {
    const { perTransaction, daily, ...unknown } = Object.fromEntries(entriesOf(given, `merchantTypes ${name}`, problem))
    refuseUnknown(Object.keys(unknown), `merchantTypes ${name}: `, problem)
    return readTypes(name, problem).map((types) => ({
      ...types,
      perTransaction: readCaps(perTransaction, `merchantTypes ${name}: perTransaction`, problem),
      daily: readCaps(daily, `merchantTypes ${name}: daily`, problem),
    }))
  })
  refuseOverlaps(caps, problem)
  return caps
}

function readCaps(value: unknown, where: string, problem: Problem): Caps {
  const caps: Record<Currency, bigint> = {}
  for (const [currency, amount] of entriesOf(value ?? {}, where, problem)) {
    if (!/^[A-Z]{3}$/.test(currency)) problem(`${where}: ${currency} is not a currency code`)
    if (typeof amount === 'string' && /^[0-9]{1,30}$/.test(amount)) caps[currency] = BigInt(amount)
    else problem(`${where}: ${currency} must be a text of digits, in the currency's minor unit`)
  }
  return caps
}

function readVelocity(value: unknown, problem: Problem): CardLimits['velocity'] {
  if (value === undefined) return null
  const { authorizations, seconds, ...unknown } = Object.fromEntries(entriesOf(value, 'velocity', problem))
  refuseUnknown(Object.keys(unknown), 'velocity: ', problem)
  if (isInteger(authorizations, 1, 100_000) && isInteger(seconds, 1, 31 * 86_400)) return { authorizations, seconds }
  problem('velocity must have authorizations, from 1 to 100000, and seconds, from 1 to 2678400')
  return null
}

function readTexts(value: unknown, where: string, problem: Problem): readonly string[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value
  problem(`${where} must be an array of texts`)
  return []
}

/** "7011", or "3351-3500" for all between as well. */
function readTypes(text: string, problem: Problem): MerchantTypes[] {
  const [, first, last = first] = /^([0-9]{4})(?:-([0-9]{4}))?$/.exec(text) ?? []
  if (first !== undefined && last !== undefined && first <= last) return [{ first, last }]
  problem(`${text} is not a merchant type: four digits, or a range of them as in 3351-3500`)
  return []
}

/** Else it would depend on their order which of two counts. */
function refuseOverlaps(types: readonly MerchantTypes[], problem: Problem): void {
  const sorted = types.toSorted((one, other) => (one.first < other.first ? -1 : 1))
  for (const [i, { first }] of sorted.entries()) {
    const before = sorted[i - 1]
    if (before && before.last >= first) problem(`merchant type ${first} is covered twice`)
  }
}

function refuseUnknown(names: Iterable<string>, where: string, problem: Problem): void {
  for (const name of names) problem(`${where}${name} is not known`)
}

function entriesOf(value: unknown, where: string, problem: Problem): [string, unknown][] {
  const fields = fieldsOf(value)
  if (fields === null) problem(`${where} must be a JSON object`)
  return Object.entries(fields ?? {})
}

function isInteger(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}
