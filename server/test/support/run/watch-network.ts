import { appendFileSync } from 'node:fs'
import { Socket } from 'node:net'

/** Preloaded in a process, this notes where each connection of the process goes, before it is opened. */
const file = process.env['NETWORK_LOG'] ?? ''
const connect = Reflect.get(Socket.prototype, 'connect')

Reflect.set(Socket.prototype, 'connect', function (this: Socket, ...given: unknown[]) {
  appendFileSync(file, `${targetOf(given.flat()[0])}\n`)
  return Reflect.apply(connect, this, given)
})

/** Returns the target of a call of `connect` by its first argument. Node.js itself passes all arguments in an array. */
function targetOf(first: unknown): string {
  if (typeof first === 'string') return first
  const { path, host, port }: { path?: string; host?: string; port?: number } = Object(first)
  return path ?? `${host ?? 'localhost'}:${port ?? first}`
}
