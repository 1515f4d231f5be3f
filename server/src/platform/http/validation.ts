import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchema, FastifySchemaValidationError } from 'fastify'
import type { FastifyRouteSchemaDef, FastifyValidationResult } from 'fastify/types/schema.js'
import { compileOnce } from './compile-once.ts'

/**
 * Builds the validator of requests. Values are never converted, except integers in a query string, where everything is
 * text. Unknown fields are ignored.
 */
export function buildValidator(shared: readonly object[]) {
  const ajv = new Ajv({ useDefaults: true, allErrors: false, strict: false, ownProperties: true })
  formats.default(ajv)
  // The library's own format also accepts `urn:uuid:…`, which PostgreSQL rejects.
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
  for (const schema of shared) ajv.addSchema(schema)
  const compiled = compileOnce((schema) => ajv.compile(schema))

  return ({ schema, httpPart }: FastifyRouteSchemaDef<FastifySchema>) => {
    const checkWhenNeeded = compiled(httpPart === 'headers' ? namedInLowerCase(schema) : schema)
    const integers = httpPart === 'querystring' ? integersOf(schema) : []
    const validate: FastifyValidationResult = (given) => {
      for (const name of integers) given[name] = readInteger(given[name])
      const check = checkWhenNeeded()
      const isValid = check(given)
      validate.errors = check.errors ?? null
      return isValid
    }
    return validate
  }
}

function integersOf(schema: object): string[] {
  if (!('properties' in schema)) return []
  return Object.entries(schema.properties ?? {}).flatMap(([name, { type }]) => (type === 'integer' ? [name] : []))
}

/** Reads an integer from its digits. The library's coercion would also accept ` 5`, `0x5` and `5e0`. */
function readInteger(given: unknown): unknown {
  return typeof given === 'string' && /^-?[0-9]+$/.test(given) ? Number(given) : given
}

/** Renames headers to lower case, as Node.js does. Fastify only does so for its default validator. */
function namedInLowerCase(schema: object): object {
  if (!('properties' in schema)) return schema
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [name.toLowerCase(), property])
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** Returns an error such as "body/amount must match pattern …": the place, then the problem. */
export function describeProblem(errors: FastifySchemaValidationError[], part: string): Error {
  const [first] = errors
  return new Error(first ? `${part}${first.instancePath} ${problemOf(first)}` : `${part} is not valid`)
}

const maxListed = 20

/** Lists the allowed values, which the library's message omits. Long lists are truncated. */
function problemOf({ keyword, params, message = 'is not valid' }: FastifySchemaValidationError): string {
  const allowed: unknown = params['allowedValues']
  if (keyword !== 'enum' || !Array.isArray(allowed)) return message
  const rest = allowed.length - maxListed
  const listed = allowed.slice(0, maxListed).join(', ')
  return `must be one of ${listed}${rest > 0 ? ` and ${rest} more` : ''}`
}
