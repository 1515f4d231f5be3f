import { Type } from 'typebox'
import type { MoneriumConfig } from '../../config/ibans.ts'
import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { call, type HttpResponse, readResponse, requireSuccess } from '../../platform/net/http-call.ts'
import { type IbanProvider, type IbanRequest, type IbanResult, ibanSigningMessage } from './iban.ts'

const port = 'iban'
const accept = 'application/vnd.monerium.api-v2+json'
/** Access tokens are renewed this long before they expire, so that none expires in transit. */
const renewedBeforeMilliseconds = 60_000

const AccessToken = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  expires_in: Type.Integer({ minimum: 1 }),
})
const Progress = Type.Optional(Type.Object({ state: Type.String() }))
const Profile = Type.Object({ state: Type.String(), details: Progress })
const Ibans = Type.Object({
  ibans: Type.Array(
    Type.Object({
      iban: Type.String({ pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9 ]{11,40}$' }),
      bic: Type.String({ pattern: '^[A-Z0-9]{8,11}$' }),
      address: Type.String(),
      chain: Type.String(),
      state: Type.Optional(Type.String()),
    }),
  ),
})

/**
 * Creates the adapter of Monerium's public API, version 2 (docs.monerium.com/api), as a whitelabel application. Each
 * user has a profile under our user id, is approved, links the wallet and gets a number. Every step is idempotent.
 */
export function createMonerium(config: MoneriumConfig, clock: Clock): IbanProvider {
  let cached: { readonly token: string; readonly until: number } | null = null

  async function accessToken(): Promise<string> {
    const now = clock.now().getTime()
    if (cached !== null && now < cached.until) return cached.token
    const { clientId, clientSecret } = config
    const response = await call({
      port,
      method: 'POST',
      url: `${config.url}/auth/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept },
      body: String(
        new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }),
      ),
    })
    const { access_token: token, expires_in: seconds } = readResponse(port, AccessToken, response)
    cached = { token, until: now + seconds * 1000 - renewedBeforeMilliseconds }
    return token
  }

  async function send(method: 'GET' | 'POST' | 'PATCH', path: string, content?: object): Promise<HttpResponse> {
    const response = await call({
      port,
      method,
      url: `${config.url}${path}`,
      headers: {
        accept,
        authorization: `Bearer ${await accessToken()}`,
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    })
    // The token was revoked before its expiry. The next attempt requests a new one.
    if (response.status === 401) cached = null
    return response
  }

  async function readProfile(path: string, userId: string) {
    const response = await send('GET', path)
    // Monerium returns 403 for profiles of others, whether or not they exist.
    if (response.status !== 404 && response.status !== 403) return readResponse(port, Profile, response)
    requireSuccess(port, await send('POST', '/profiles', { kind: 'personal', id: userId }))
    return { state: 'created', details: undefined }
  }

  /** Submits the person's data: as a share token of the KYC provider if one is configured, otherwise as fields. */
  async function submitPerson(path: string, { person, share }: IbanRequest): Promise<void> {
    if (config.sumsubClientId !== null && share !== null) {
      const token = await share(config.sumsubClientId)
      requireSuccess(port, await send('POST', `${path}/share`, { provider: 'sumsub', personal: { token } }))
      return
    }
    const { firstName, lastName, street: address, postalCode, city, country, nationality, birthDate: birthday } = person
    const personal = { firstName, lastName, address, postalCode, city, country, nationality, birthday }
    requireSuccess(port, await send('PATCH', `${path}/details`, { personal }))
  }

  /** Links the wallet and requests its number once. Later calls read the result. */
  async function requestNumber({ userId: profile, address, signature }: IbanRequest): Promise<IbanResult> {
    const { chain } = config
    const query = new URLSearchParams({ profile, chain })
    const { ibans } = readResponse(port, Ibans, await send('GET', `/ibans?${query}`))
    const own = ibans.find((each) => each.chain === chain && each.address.toLowerCase() === address.toLowerCase())
    if (own?.state === 'rejected' || own?.state === 'closed') return 'refused'
    if (own !== undefined) {
      const isReady = own.state === undefined || own.state === 'approved'
      return isReady ? { iban: own.iban.replaceAll(' ', ''), bic: own.bic } : 'pending'
    }
    const message = ibanSigningMessage
    const linked = await send('POST', '/addresses', { profile, address, message, signature, chain })
    if (linked.status === 400 || linked.status === 422) return 'refused'
    if (linked.status !== 409) requireSuccess(port, linked)
    const requested = await send('POST', '/ibans', { address, chain, emailNotifications: false })
    if (requested.status !== 409) requireSuccess(port, requested)
    return 'pending'
  }

  return {
    async advance(request) {
      const path = `/profiles/${encodeURIComponent(request.userId)}`
      const { state, details } = await readProfile(path, request.userId)
      switch (state) {
        case 'created':
        case 'incomplete':
          if (details?.state !== 'pending' && details?.state !== 'approved') await submitPerson(path, request)
          return 'pending'
        case 'pending':
          return 'pending'
        case 'rejected':
          return 'refused'
        case 'approved':
          return requestNumber(request)
        default:
          throw new UpstreamError(port, 'invalid_response', new Error(`the profile has the unknown state ${state}`))
      }
    },
  }
}
