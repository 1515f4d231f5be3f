import type { SigningKey } from '../lib/signing-key.ts'

/** How `config.ts` reads a variable; a problem is noted under its name, and reading goes on. */
export type Reader = {
  text(name: string, fallback: string): string
  url(name: string, fallback: string): string
  integer(name: string, fallback: number, least: number, most: number): number
  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T
  keys(name: string): readonly SigningKey[]
  problem(name: string, wanted: string): void
}
