import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import type { FastifySchema } from 'fastify'
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js'
import { compileOnce } from './compile-once.ts'

/** Serializes responses by schema. Undeclared fields are dropped. */
export function buildSerializer(shared: readonly object[]) {
  // TypeBox types describe values, not schemas, so they need a cast.
  const schemas = { ...shared } as unknown as Record<string, Schema>
  const compile = compileOnce((schema) => fastJsonStringify(schema as Schema, { schema: schemas }))
  return ({ schema }: FastifyRouteSchemaDef<FastifySchema>) => {
    const serialize = compile(schema)
    return (content: unknown) => serialize()(content)
  }
}
