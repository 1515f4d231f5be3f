import { type Static, type TSchema, Type } from 'typebox'

/**
 * The shapes of rows, by the text of their statement. Rows are cast to the type that their statement declares, so a
 * state that SQL knows and TypeScript does not would go unnoticed. The test suite checks every row against its shape;
 * the service itself does not.
 */
const shapes = new Map<string, TSchema>()

/** Declares the shape of a statement's rows. Returns the statement. */
export function withRowShape(shape: TSchema, statement: string): string {
  shapes.set(statement, shape)
  return statement
}

export function rowShapeOf(statement: string): TSchema | undefined {
  return shapes.get(statement)
}

/** A row with exactly these columns. */
export function Row<P extends Record<string, TSchema>>(columns: P) {
  return Type.Object(columns, { additionalProperties: false })
}

export const Instant = Type.Refine(Type.Unsafe<Date>({}), (value) => value instanceof Date)

export function OneOf<const States extends readonly string[]>(states: States) {
  return Type.Unsafe<States[number]>({ enum: [...states] })
}

export function OrNull<S extends TSchema>(schema: S) {
  return Type.Unsafe<Static<S> | null>(Type.Union([schema, Type.Null()]))
}
