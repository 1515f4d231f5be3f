import { inspect } from 'node:util'

const concealed = '[secret]'

/**
 * Makes an object, and each object inside it, print without secrets: `console.log`, `util.inspect` and `JSON.stringify`
 * replace every text that contains one. `values` are the secrets themselves, or objects and arrays of them.
 */
export function concealSecrets<T extends object>(target: T, values: readonly unknown[]): T {
  const secrets = values.flatMap(textsIn)
  conceal(target, function (this: object) {
    return printable({ ...this }, secrets)
  })
  return target
}

/** Makes a copy print as its original does. The spread operator copies no hidden properties. */
export function keepConcealed<T extends object>(copy: T, original: object): T {
  for (const name of ['toJSON', inspect.custom]) {
    const print = Object.getOwnPropertyDescriptor(original, name)
    if (print) Object.defineProperty(copy, name, print)
  }
  return copy
}

function conceal(target: object, print: (this: object) => unknown): void {
  for (const inner of Object.values(target)) if (typeof inner === 'object' && inner !== null) conceal(inner, print)
  // An array needs no method of its own: the object that holds it conceals its texts, and its objects conceal
  // themselves.
  if (Array.isArray(target) || !Object.isExtensible(target)) return
  const hidden = { enumerable: false, configurable: true, value: print }
  Object.defineProperties(target, { toJSON: hidden, [inspect.custom]: hidden })
}

function printable(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return secrets.some((secret) => value.includes(secret)) ? concealed : value
  if (Array.isArray(value)) return value.map((inner) => printable(inner, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, printable(inner, secrets)]))
}

/** All texts of a secret value. The id of a signing key is not secret. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === 'id' ? [] : textsIn(inner)))
}
