import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchema, FastifySchemaValidationError } from 'fastify'
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js'

/**
 * Bodies are taken as they are: a number is never made of a string. Query strings, parameters and headers are text,
 * so there a number may be read from it. Unknown fields pass and are ignored.
 */
export function buildValidator(shared: readonly object[]) {
  const strict = build(false)
  const fromText = build(true)
  return ({ schema, httpPart }: FastifyRouteSchemaDef<FastifySchema>) =>
    (httpPart === 'body' ? strict : fromText).compile(schema)

  function build(coerceTypes: boolean): Ajv {
    const ajv = new Ajv({ coerceTypes, useDefaults: true, allErrors: false, strict: false, ownProperties: true })
    formats.default(ajv)
    for (const schema of shared) ajv.addSchema(schema)
    return ajv
  }
}

/** "body/amount must match pattern …": where, then what. */
export function describeProblem(errors: FastifySchemaValidationError[], part: string): Error {
  const [first] = errors
  return new Error(first ? `${part}${first.instancePath} ${first.message ?? 'is not valid'}` : `${part} is not valid`)
}
