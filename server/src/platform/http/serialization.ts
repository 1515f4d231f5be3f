import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import type { FastifySchema } from 'fastify'
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js'
import { compileOnce } from './compile-once.ts'

/** Answers are written by their schema: what it does not name is not told. */
export function buildSerializer(shared: readonly object[]) {
  // TypeBox's types tell what a schema describes, not that it is one.
  const schemas = { ...shared } as unknown as Record<string, Schema>
  const compile = compileOnce((schema) => fastJsonStringify(schema as Schema, { schema: schemas }))
  return ({ schema }: FastifyRouteSchemaDef<FastifySchema>) => {
    const serialize = compile(schema)
    return (answer: unknown) => serialize()(answer)
  }
}
