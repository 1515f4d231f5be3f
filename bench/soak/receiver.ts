import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { unwrap } from '../../client/src/webhooks.ts'

/**
 * The servers of the partners. They verify each signature, and some of them reject a share of the deliveries at first.
 */
export type Receiver = {
  urlOf(partner: number): string
  /** Sets the keys with which a partner's deliveries must be signed. */
  setKeys(partner: number, keys: readonly string[]): void
  /** The ids of the events that each partner has accepted. */
  readonly accepted: readonly ReadonlySet<string>[]
  /** The `sequence` values of each user's events. */
  readonly sequences: ReadonlyMap<string, ReadonlySet<number>>
  readonly counts: { rejected: number; repeated: number; invalid: number }
  /** Returns the 99th percentile of the delays in milliseconds, from event to first attempt, since the last call. */
  takeLag(): number
  /** From now on, accepts every delivery. */
  recover(): void
  stop(): Promise<void>
}

/** The share of events that each partner rejects, by partner. */
const rejectedShares = [0, 0.02, 0.05]
/** An event is rejected at most twice, so its last retry follows within a minute. */
const maxRejections = 2
const rejections: readonly ((response: ServerResponse) => void)[] = [
  (response) => response.writeHead(500).end(),
  (response) => response.writeHead(429, { 'retry-after': '2' }).end(),
  (response) => response.destroy(),
]

export async function startReceiver(random: () => number): Promise<Receiver> {
  const keys: (readonly string[])[] = rejectedShares.map(() => [])
  const accepted = rejectedShares.map(() => new Set<string>())
  const sequences = new Map<string, Set<number>>()
  const rejectedTimes = new Map<string, number>()
  const counts = { rejected: 0, repeated: 0, invalid: 0 }
  let lags: number[] = []
  let isReliable = false

  function isRejected(partner: number, id: string): boolean {
    const times = rejectedTimes.get(id) ?? 0
    // A tenth of the rejected events are rejected twice.
    const share = times === 0 ? (rejectedShares[partner] ?? 0) : 0.1
    if (isReliable || times >= maxRejections || random() >= share) return false
    rejectedTimes.set(id, times + 1)
    counts.rejected++
    return true
  }

  function accept(partner: number, id: string, type: string, data: object): void {
    rejectedTimes.delete(id)
    const ids = accepted[partner]
    if (ids?.has(id)) counts.repeated++
    ids?.add(id)
    const { userId, sequence } = Object(data)
    // `account.balance.changed` repeats the sequence of the event that changed the balances.
    if (typeof sequence !== 'number' || type === 'account.balance.changed') return
    const seen = sequences.get(userId) ?? new Set()
    sequences.set(userId, seen.add(sequence))
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const partner = Number(request.url?.slice(1))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const event = await unwrap(body, request.headers, keys[partner] ?? []).catch(() => null)
    if (event === null) {
      counts.invalid++
      response.writeHead(400).end()
      return
    }
    if (!rejectedTimes.has(event.id)) lags.push(Date.now() - Date.parse(event.createdAt))
    if (isRejected(partner, event.id)) return rejections[Math.floor(random() * rejections.length)]?.(response)
    accept(partner, event.id, event.type, Object(event.data))
    response.writeHead(204).end()
  }

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (partner) => `http://127.0.0.1:${port}/${partner}`,
    setKeys(partner, given) {
      keys[partner] = given
    },
    accepted,
    sequences,
    counts,
    takeLag() {
      const sorted = lags.sort((one, other) => one - other)
      lags = []
      return sorted[Math.floor(sorted.length * 0.99)] ?? 0
    },
    recover() {
      isReliable = true
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
