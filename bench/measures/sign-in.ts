import { Agent, request } from 'node:http'
import { createSiweMessage } from 'viem/siwe'
import type { Ground } from '../ground.ts'
import { cpuSeconds } from '../machine.ts'
import type { Person } from '../people.ts'
import { type Server, startPeer } from '../processes.ts'
import type { Row } from '../report.ts'

const connections = 8
const agent = new Agent({ keepAlive: true, maxSockets: connections })

/** The requests of a sign-in at one server. */
type SignIn = {
  readonly server: Server
  nonce(): Promise<string>
  challenge(message: string, signature: string): Promise<unknown>
}

type Cost = { readonly nonce: number; readonly challenge: number }

/**
 * Compares the server's CPU time of a nonce and a challenge with that of better-auth's SIWE plugin. Messages are signed
 * between the two requests and not counted.
 */
export async function measureSignIn(ground: Ground): Promise<Row[]> {
  const { service, database, settings, people } = ground
  const env = { DATABASE_URL: await database.createPeerDatabase('better_auth') }
  const peer = await startPeer('better-auth', { ...env, VERIFIER: 'viem' })
  const nativePeer = await startPeer('better-auth', { ...env, VERIFIER: 'native' })
  try {
    const contenders = { service: purser(service), viem: betterAuth(peer), native: betterAuth(nativePeer) }
    const costs = { service: [] as Cost[], viem: [] as Cost[], native: [] as Cost[] }
    for (let round = 0; round <= settings.rounds; round++) {
      for (const name of ['service', 'viem', 'native'] as const) {
        const cost = await signInAll(contenders[name], people, settings.signIns)
        // The first round creates the peer's users and warms up the compilers.
        if (round > 0) costs[name].push(cost)
      }
    }
    const of = (name: keyof typeof costs, half: keyof Cost) =>
      costs[name].reduce((total, cost) => total + cost[half], 0) / costs[name].length
    const whole = (name: keyof typeof costs) => of(name, 'nonce') + of(name, 'challenge')
    const row = { measure: 'sign-in' }
    return [
      {
        ...row,
        what: "per server core: Purser ÷ better-auth's SIWE plugin",
        figure: whole('viem') / whole('service'),
        unit: '×',
        goal: { atLeast: 7.5 },
      },
      {
        ...row,
        what: 'the same, better-auth with the native library',
        figure: whole('native') / whole('service'),
        unit: '×',
      },
      { ...row, what: 'server CPU of a nonce, Purser', figure: of('service', 'nonce'), unit: 'µs' },
      { ...row, what: 'server CPU of a challenge, Purser', figure: of('service', 'challenge'), unit: 'µs' },
      { ...row, what: 'server CPU of a sign-in, better-auth', figure: whole('viem'), unit: 'µs' },
      {
        ...row,
        what: 'server CPU of a sign-in, better-auth with the native library',
        figure: whole('native'),
        unit: 'µs',
      },
    ]
  } finally {
    agent.destroy()
    await peer.stop()
    await nativePeer.stop()
  }
}

function purser(server: Server): SignIn {
  return {
    server,
    nonce: () => ask(server, 'GET', '/api/v1/auth/nonce'),
    challenge: (message, signature) => ask(server, 'POST', '/api/v1/auth/challenge', { message, signature }),
  }
}

function betterAuth(server: Server): SignIn {
  return {
    server,
    nonce: async () => JSON.parse(await ask(server, 'POST', '/api/auth/siwe/nonce', {})).nonce,
    challenge: (message, signature) => ask(server, 'POST', '/api/auth/siwe/verify', { message, signature }),
  }
}

async function signInAll(signIn: SignIn, people: readonly Person[], count: number): Promise<Cost> {
  const timed = async (work: () => Promise<void>) => {
    const before = cpuSeconds(signIn.server.pid)
    await work()
    return ((cpuSeconds(signIn.server.pid) - before) / count) * 1e6
  }
  const turns = Array.from({ length: count }, (_, i) => people[i % people.length])
  const nonces: string[] = []
  const nonce = await timed(() =>
    inParallel(turns, async () => {
      nonces.push(await signIn.nonce())
    }),
  )
  const signed: { message: string; signature: string }[] = []
  for (const [i, person] of turns.entries()) {
    if (person) signed.push(await sign(person, nonces[i] ?? ''))
  }
  const challenge = await timed(() =>
    inParallel(signed, ({ message, signature }) => signIn.challenge(message, signature)),
  )
  return { nonce, challenge }
}

async function sign({ wallet }: Person, nonce: string) {
  const fields = { chainId: 1, domain: 'localhost', uri: 'http://localhost/', version: '1' } as const
  const message = createSiweMessage({ ...fields, address: wallet.address, nonce })
  return { message, signature: await wallet.signMessage({ message }) }
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values()
  const worker = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

function ask({ url }: Server, method: string, path: string, body?: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', origin: url }
    const sent = request(`${url}${path}`, { method, agent, ...(body === undefined ? {} : { headers }) }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${answer.statusCode} ${text}`)),
      )
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
