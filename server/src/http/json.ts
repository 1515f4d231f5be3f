import type { FastifyInstance, FastifyRequest } from 'fastify'
import { InvalidInput, Refusal } from '../lib/refusal.ts'

/** The escape of U+0000, which no text of PostgreSQL can hold; not a backslash that happens to stand before `u0000`. */
const writtenNul = /(?<!\\)(?:\\\\)*\\u0000/

/** JSON without what could poison a prototype or end in no database. */
export function parseJson(app: FastifyInstance, request: FastifyRequest, text: string): unknown {
  if (writtenNul.test(text)) throw new InvalidInput('body must not hold the character U+0000')
  let parsed: unknown
  let failure: Error | null = null
  app.getDefaultJsonParser('error', 'error')(request, text, (error, value) => {
    failure = error
    parsed = value
  })
  if (failure !== null) throw new Refusal('INVALID_JSON')
  return parsed
}
