import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Static, Type } from 'typebox'
import type { SumsubConfig } from '../../config/kyc.ts'
import type { Clock } from '../../lib/clock.ts'
import { countryOf } from '../../lib/countries.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { KycStatus } from '../../lib/kyc-status.ts'
import { type Call, call, type HttpResponse, readResponse } from '../../platform/net/http-call.ts'
import type { Applicant, KycProvider, VerifiedPerson } from './kyc.ts'

const port = 'kyc'
const pageLifeSeconds = 1800
/** Below the 30 seconds after which clients give up. */
const importMilliseconds = 20_000

const Id = Type.Object({ id: Type.String({ pattern: '^[0-9A-Za-z]{1,64}$' }) })
const Link = Type.Object({ url: Type.String({ pattern: '^https?://' }) })
const Token = Type.Object({ token: Type.String({ minLength: 1, maxLength: 4096 }) })
const Text = Type.Optional(Type.String())
const Address = Type.Object({ street: Text, subStreet: Text, town: Text, postCode: Text, country: Text })
const Profile = Type.Object({
  ...Id.properties,
  externalUserId: Text,
  info: Type.Optional(
    Type.Object({
      ...{ firstName: Text, lastName: Text, firstNameEn: Text, lastNameEn: Text, dob: Text },
      ...{ country: Text, nationality: Text, addresses: Type.Optional(Type.Array(Address)) },
    }),
  ),
  review: Type.Object({
    reviewStatus: Type.String(),
    reviewResult: Type.Optional(Type.Object({ reviewAnswer: Text, reviewRejectType: Text })),
  }),
})
type Profile = Static<typeof Profile>

/** Maps each `reviewStatus` except `completed`, whose result decides. Any other status is an invalid response. */
const statuses: Readonly<Record<string, KycStatus>> = {
  init: 'documentsRequested',
  pending: 'pending',
  prechecked: 'pending',
  queued: 'pending',
  onHold: 'processing',
  awaitingService: 'processing',
  awaitingUser: 'requiresAction',
}

/** Sumsub's error codes for an invalid share token. Any other code concerns our own request. */
const badShareToken = new Set([10501, 10502, 10503, 10504])

/** The digests by their name in `x-payload-digest-alg`. Sumsub's legacy SHA-1 is not accepted. */
const digests: Readonly<Record<string, string>> = { HMAC_SHA256_HEX: 'sha256', HMAC_SHA512_HEX: 'sha512' }

/**
 * Creates the adapter of Sumsub's public API (docs.sumsub.com/reference). Each request is signed over its timestamp,
 * method, path with query, and body. The applicant's external id is our user id, except after an import: Sumsub then
 * chooses it.
 */
export function createSumsub(config: SumsubConfig, clock: Clock): KycProvider {
  async function send(
    method: 'GET' | 'POST',
    path: string,
    content?: object,
    options: Pick<Call, 'deadlineMilliseconds'> = {},
  ): Promise<HttpResponse> {
    const timestamp = String(Math.floor(clock.now().getTime() / 1000))
    const body = content === undefined ? undefined : JSON.stringify(content)
    return call({
      port,
      method,
      url: `${config.url}${path}`,
      ...(body === undefined ? {} : { body }),
      ...options,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'x-app-token': config.appToken,
        'x-app-access-ts': timestamp,
        'x-app-access-sig': createHmac('sha256', config.secretKey)
          .update(`${timestamp}${method}${path}${body ?? ''}`)
          .digest('hex'),
      },
    })
  }

  const requestProfile = (applicantId: string) =>
    send('GET', `/resources/applicants/${encodeURIComponent(applicantId)}/one`)

  async function readProfile(applicantId: string): Promise<Profile> {
    return readResponse(port, Profile, await requestProfile(applicantId))
  }

  return {
    verifiesPeople: true,

    async createApplicant({ userId, email }) {
      const path = `/resources/applicants?levelName=${encodeURIComponent(config.level)}`
      const made = await send('POST', path, { externalUserId: userId, ...(email === null ? {} : { email }) })
      if (made.status !== 409) return readResponse(port, Id, made).id
      // An earlier attempt created the applicant, but its response was lost.
      const found = await send('GET', `/resources/applicants/-;externalUserId=${encodeURIComponent(userId)}/one`)
      return readResponse(port, Id, found).id
    },

    async verificationUrl({ applicantId, userId, email }) {
      // With another external id, the page would create a second applicant.
      const { externalUserId = userId } = await readProfile(applicantId)
      const response = await send('POST', '/resources/sdkIntegrations/levels/-/websdkLink', {
        levelName: config.level,
        userId: externalUserId,
        ...(email === null ? {} : { applicantIdentifiers: { email } }),
        ttlInSecs: pageLifeSeconds,
      })
      return readResponse(port, Link, response).url
    },

    async readApplicant({ applicantId, userId }) {
      const response = await requestProfile(applicantId)
      if (isUnknownApplicant(response)) return null
      const profile = readResponse(port, Profile, response)
      const { externalUserId = userId } = profile
      const applicant = applicantOf(profile)
      const isIncomplete = applicant.status === 'approved' && applicant.person === null
      return externalUserId !== userId && isIncomplete ? null : applicant
    },

    async importApplicant(shareToken) {
      // A lone surrogate cannot be encoded in a URL, so the token is invalid.
      if (!shareToken.isWellFormed()) return null
      const path = `/resources/applicants/-/import?shareToken=${encodeURIComponent(shareToken)}`
      const response = await send('POST', path, undefined, { deadlineMilliseconds: importMilliseconds })
      if (isBadShareToken(response)) return null
      const { id: applicantId } = readResponse(port, Id, response)
      // The token is used up now, so a failure must not lose the applicant.
      const profile = await readProfile(applicantId).catch((error: unknown) => {
        if (error instanceof UpstreamError) return null
        throw error
      })
      if (profile === null) return { applicantId, status: 'processing', person: null }
      const applicant = applicantOf(profile)
      // An applicant without approval, or with incomplete data, must verify again under our own user id.
      return applicant.person === null ? null : applicant
    },

    async shareApplicant({ applicantId, forClientId, ttlSeconds: ttlInSecs }) {
      const response = await send('POST', '/resources/accessTokens/shareToken', { applicantId, forClientId, ttlInSecs })
      return readResponse(port, Token, response).token
    },

    readCallback(headers, body) {
      const name = String(headers['x-payload-digest-alg'] ?? 'HMAC_SHA256_HEX')
      const algorithm = Object.hasOwn(digests, name) ? digests[name] : undefined
      if (algorithm === undefined) return null
      const expected = createHmac(algorithm, config.webhookSecret).update(body).digest()
      const given = Buffer.from(String(headers['x-payload-digest']), 'hex')
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
      const { applicantId } = parseObject(Buffer.from(body).toString('utf8'))
      return { applicantId: typeof applicantId === 'string' && applicantId !== '' ? applicantId : null }
    },
  }
}

function applicantOf(profile: Profile): Applicant {
  const status = statusOf(profile)
  return { applicantId: profile.id, status, person: status === 'approved' ? personOf(profile) : null }
}

function statusOf({ review }: Profile): KycStatus {
  const { reviewStatus, reviewResult } = review
  if (reviewStatus === 'completed') {
    if (reviewResult?.reviewAnswer === 'GREEN') return 'approved'
    if (reviewResult?.reviewAnswer === 'RED') {
      return reviewResult.reviewRejectType === 'RETRY' ? 'resubmissionRequested' : 'rejected'
    }
  }
  const status = Object.hasOwn(statuses, reviewStatus) ? statuses[reviewStatus] : undefined
  if (status === undefined)
    throw new UpstreamError(
      port,
      'invalid_response',
      new Error(`the review has the status ${reviewStatus} without a known result`),
    )
  return status
}

/** Returns the person, or null when required data is missing. Prefers Latin names, since banks accept no others. */
function personOf({ info = {} }: Profile): VerifiedPerson | null {
  const [address = {}] = info.addresses ?? []
  const firstName = info.firstNameEn ?? info.firstName ?? ''
  const lastName = info.lastNameEn ?? info.lastName ?? ''
  const birthDate = info.dob ?? ''
  const country = countryOf(address.country ?? info.country ?? '')
  if (firstName === '' || lastName === '' || country === null || !/^\d{4}-\d\d-\d\d$/.test(birthDate)) return null
  return {
    firstName,
    lastName,
    birthDate,
    country,
    nationality: countryOf(info.nationality ?? '') ?? '',
    street: [address.street, address.subStreet].filter(Boolean).join(', '),
    city: address.town ?? '',
    postalCode: address.postCode ?? '',
  }
}

/** Requires Sumsub's own body, since a wrong address also gets a 404. */
function isUnknownApplicant({ status, text }: HttpResponse): boolean {
  return status === 404 && parseObject(text)['code'] === 404
}

function isBadShareToken({ status, text }: HttpResponse): boolean {
  if (status !== 400 && status !== 401) return false
  const { errorCode, description } = parseObject(text)
  if (typeof errorCode === 'number') return badShareToken.has(errorCode)
  return status === 401 && String(description).startsWith('Token is invalid')
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
