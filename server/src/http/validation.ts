import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchema, FastifySchemaValidationError } from 'fastify'
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js'
import { compileOnce } from './compile-once.ts'

/**
 * Bodies are taken as they are: a number is never made of a string. Query strings, parameters and headers are text,
 * so there a number may be read from it. Unknown fields pass and are ignored.
 */
export function buildValidator(shared: readonly object[]) {
  const strict = build(false)
  const fromText = build(true)
  return ({ schema, httpPart }: FastifyRouteSchemaDef<FastifySchema>) => {
    if (httpPart === 'body') return strict(schema)
    return fromText(httpPart === 'headers' ? namedInLowerCase(schema) : schema)
  }

  function build(coerceTypes: boolean) {
    const ajv = new Ajv({ coerceTypes, useDefaults: true, allErrors: false, strict: false, ownProperties: true })
    formats.default(ajv)
    // The library's own takes `urn:uuid:…` too, which no database does.
    ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
    for (const schema of shared) ajv.addSchema(schema)
    return compileOnce((schema) => ajv.compile(schema))
  }
}

/** As Node names headers; Fastify leaves that to those who bring a validator of their own. */
function namedInLowerCase(schema: object): object {
  if (!('properties' in schema)) return schema
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [name.toLowerCase(), property])
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** "body/amount must match pattern …": where, then what. */
export function describeProblem(errors: FastifySchemaValidationError[], part: string): Error {
  const [first] = errors
  return new Error(first ? `${part}${first.instancePath} ${first.message ?? 'is not valid'}` : `${part} is not valid`)
}
