import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchema, FastifySchemaValidationError } from 'fastify'
import type { FastifyRouteSchemaDef, FastifyValidationResult } from 'fastify/types/schema.js'
import { compileOnce } from './compile-once.ts'

/**
 * A number is never made of a string, but in a query string, where everything is text: there an integer is read from its
 * digits. Unknown fields pass and are ignored.
 */
export function buildValidator(shared: readonly object[]) {
  const ajv = new Ajv({ useDefaults: true, allErrors: false, strict: false, ownProperties: true })
  formats.default(ajv)
  // The library's own takes `urn:uuid:…` too, which no database does.
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

/** Not the library's reading, to which ` 5`, `0x5` and `5e0` are numbers, too. What else stands there is left to the schema. */
function readInteger(given: unknown): unknown {
  return typeof given === 'string' && /^-?[0-9]+$/.test(given) ? Number(given) : given
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
