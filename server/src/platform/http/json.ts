import type { FastifyInstance, FastifyRequest } from 'fastify'
import { InvalidInput, Refusal } from '../../lib/errors.ts'

/** The content type of JSON that is sent as serialized text. */
export const jsonType = 'application/json; charset=utf-8'

/** Matches the escape of U+0000, which PostgreSQL cannot store. An escaped backslash before `u0000` does not match. */
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/

/** Matches the escape of any surrogate, as a quick test: text without one is well-formed, because UTF-8 has none. */
const escapedSurrogate = /\\u[dD][89a-fA-F]/

/** Deeper bodies could exhaust the stack of recursive code. No operation needs nearly as many levels. */
const maxLevels = 100

/**
 * Parses JSON. Rejects keys that pollute prototypes, U+0000, deep nesting, and half a surrogate pair. PostgreSQL would
 * store U+FFFD in place of the latter, and the hash of a sealed record would no longer match.
 */
export function parseJson(app: FastifyInstance, request: FastifyRequest, text: string): unknown {
  if (escapedNul.test(text)) throw new InvalidInput('body must not contain the character U+0000')
  let parsed: unknown
  let failure: Error | null = null
  app.getDefaultJsonParser('error', 'error')(request, text, (error, value) => {
    failure = error
    parsed = value
  })
  if (failure !== null) throw new Refusal('INVALID_JSON')
  if (isDeeper(parsed, maxLevels)) throw new InvalidInput(`body must not be nested more than ${maxLevels} levels deep`)
  if (escapedSurrogate.test(text) && !isWellFormed(parsed))
    throw new InvalidInput('body must be well-formed: a surrogate such as \\ud800 needs its other half')
  return parsed
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner))
}
