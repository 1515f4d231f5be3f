import type { FastifyInstance, FastifyRequest } from 'fastify'
import { InvalidInput, Refusal } from '../../lib/errors.ts'

/** The content type of answers in JSON that are sent as text. */
export const jsonType = 'application/json; charset=utf-8'

/** The escape of U+0000, which no text of PostgreSQL can hold; not a backslash that happens to stand before `u0000`. */
const writtenNul = /(?<!\\)(?:\\\\)*\\u0000/

/** No request of ours needs as many levels by far, and what walks one that is deeper runs out of stack. */
const mostLevels = 100

/** JSON without what could poison a prototype, end in no database or in no stack. */
export function parseJson(app: FastifyInstance, request: FastifyRequest, text: string): unknown {
  if (writtenNul.test(text)) throw new InvalidInput('body must not hold the character U+0000')
  let parsed: unknown
  let failure: Error | null = null
  app.getDefaultJsonParser('error', 'error')(request, text, (error, value) => {
    failure = error
    parsed = value
  })
  if (failure !== null) throw new Refusal('INVALID_JSON')
  if (isDeeper(parsed, mostLevels)) throw new InvalidInput(`body must not have more than ${mostLevels} levels`)
  return parsed
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
