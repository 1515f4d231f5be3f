import { randomUUID } from 'node:crypto'
import type { MoneriumConfig } from '../../../src/config/ibans.ts'
import { type LocalRequest, type LocalResponse, startLocalServer } from './local-server.ts'

const accept = 'application/vnd.monerium.api-v2+json'
const message = 'I hereby declare that I am the address owner.'

export type MoneriumProfile = {
  state: string
  details?: { state: string }
  /** the body of the request that submitted the user's data */
  introduction?: unknown
  addresses: any[]
  ibans: any[]
}

/**
 * Starts a local imitation of Monerium, as its reference describes it. It rejects invalid requests. `problems` lists
 * the rejections that a correct adapter never causes.
 */
export async function startMonerium(now: () => Date, more: Partial<MoneriumConfig> = {}) {
  const profiles = new Map<string, MoneriumProfile>()
  const problems: string[] = []
  const scripted: ((request: LocalRequest) => LocalResponse | null)[] = []
  const client = { clientId: randomUUID(), clientSecret: 'the secret of the application' }
  let token = { value: '', until: 0, issued: 0 }

  function reject(status: number, problem: string): LocalResponse {
    problems.push(problem)
    return { status, body: { code: status, message: problem } }
  }

  function respond(request: LocalRequest): LocalResponse {
    const { method, path, headers, body } = request
    if (headers.accept !== accept) return reject(406, 'version')
    if (`${method} ${path}` === 'POST /auth/token') return issueToken(headers['content-type'], body)
    if (headers.authorization !== `Bearer ${token.value}` || now().getTime() > token.until) {
      return { status: 401, body: { code: 401 } }
    }
    if (method !== 'GET' && headers['content-type'] !== 'application/json') return reject(415, 'content type')
    return scripted.shift()?.(request) ?? route(`${method} ${path}`, body === '' ? undefined : JSON.parse(body))
  }

  function issueToken(type: string | undefined, body: string): LocalResponse {
    const form = new URLSearchParams(body)
    if (type !== 'application/x-www-form-urlencoded') return reject(400, 'token content type')
    if (form.get('grant_type') !== 'client_credentials') return reject(400, 'grant type')
    if (form.get('client_id') !== client.clientId || form.get('client_secret') !== client.clientSecret) {
      return { status: 401, body: { code: 401 } }
    }
    token = { value: randomUUID(), until: now().getTime() + 3600_000, issued: token.issued + 1 }
    return { status: 200, body: { access_token: token.value, token_type: 'Bearer', expires_in: 3600 } }
  }

  function route(what: string, content: any): LocalResponse {
    if (what === 'POST /profiles') {
      if (content.kind !== 'personal' || profiles.has(content.id)) return reject(400, 'profile')
      profiles.set(content.id, { state: 'created', addresses: [], ibans: [] })
      return { status: 200, body: { id: content.id, kind: 'personal', state: 'created' } }
    }
    const [, method, id = '', part] = /^(\w+) \/profiles\/([^/]+)(?:\/(\w+))?$/.exec(what) ?? []
    const profile = profiles.get(id)
    if (method === 'GET' && part === undefined) {
      if (profile === undefined) return { status: 403, body: { code: 403 } }
      return { status: 200, body: { id, kind: 'personal', state: profile.state, details: profile.details } }
    }
    if (profile && (`${method} ${part}` === 'PATCH details' || `${method} ${part}` === 'POST share')) {
      Object.assign(profile, { introduction: content, state: 'pending', details: { state: 'pending' } })
      return { status: 202, body: {} }
    }
    const listed = /^GET \/ibans\?profile=([^&]+)&chain=gnosis$/.exec(what)?.[1]
    if (listed !== undefined) return { status: 200, body: { ibans: profiles.get(listed)?.ibans ?? [] } }
    if (what === 'POST /addresses') return linkAddress(content)
    if (what === 'POST /ibans') return requestIban(content)
    return reject(404, what)
  }

  function linkAddress(content: any): LocalResponse {
    const profile = profiles.get(content.profile)
    if (profile?.state !== 'approved') return reject(403, 'address of a profile that is not approved')
    if (content.message !== message || content.chain !== 'gnosis') return reject(400, 'address')
    if (!/^0x[0-9a-f]{130}$/.test(content.signature)) return { status: 400, body: { message: 'Invalid signature' } }
    profile.addresses.push(content.address)
    return { status: 201, body: { profile: content.profile, address: content.address, state: 'linked' } }
  }

  function requestIban({ address, chain }: any): LocalResponse {
    const profile = [...profiles.values()].find(({ addresses }) => addresses.includes(address))
    if (profile === undefined) return reject(400, 'an address that is not linked')
    if (profile.ibans.length > 0) return { status: 409, body: {} }
    profile.ibans.push({ iban: 'IS14 0159 2600 7654 5510 7303 39', bic: 'MEISISRE', address, chain, state: 'pending' })
    return { status: 202, body: { code: 202 } }
  }

  const server = await startLocalServer(respond)
  const config: MoneriumConfig = { url: server.url, ...client, chain: 'gnosis', sumsubClientId: null, ...more }
  return { config, profiles, problems, scripted, tokensIssued: () => token.issued, stop: server.stop }
}
