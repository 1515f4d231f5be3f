import { createHmac } from 'node:crypto'
import type { SumsubConfig } from '../../../src/config/kyc.ts'
import { type LocalRequest, type LocalResponse, startLocalServer } from './local-server.ts'

export const sumsubKeys = {
  appToken: 'sbx:app-token',
  secretKey: 'a-secret-of-the-app-token',
  webhookSecret: 'a-secret-of-the-webhook',
  level: 'id and address',
}

export type SumsubApplicant = { id: string; externalUserId: string; info?: object; review: object }

/**
 * Starts a local imitation of Sumsub, as its reference describes it. It rejects requests whose signature, timestamp,
 * method, path or body is wrong, and records each as a problem.
 */
export async function startSumsub(now: () => Date) {
  const applicants = new Map<string, SumsubApplicant>()
  const problems: string[] = []
  const seen: (LocalRequest & { content: any })[] = []
  const scripted: ((request: LocalRequest) => LocalResponse | Promise<LocalResponse | null> | null)[] = []
  let made = 0

  function reject(problem: string, status = 400): LocalResponse {
    problems.push(problem)
    return { status, body: { code: status, description: problem } }
  }

  async function respond(request: LocalRequest): Promise<LocalResponse> {
    const { method, path, headers, body } = request
    const expected = createHmac('sha256', sumsubKeys.secretKey)
      .update(`${headers['x-app-access-ts']}${method}${path}${body}`)
      .digest('hex')
    if (headers['x-app-token'] !== sumsubKeys.appToken) return reject('app token', 401)
    if (Math.abs(Number(headers['x-app-access-ts']) - now().getTime() / 1000) > 60) return reject('timestamp', 401)
    if (headers['x-app-access-sig'] !== expected) {
      problems.push('signature')
      return { status: 401, body: { code: 401, errorCode: 4003, errorName: 'app-token-signature mismatch' } }
    }
    const script = await scripted.shift()?.(request)
    if (script) return script
    const content = body === '' ? undefined : JSON.parse(body)
    seen.push({ ...request, content })
    return route(`${method} ${path}`, content)
  }

  function route(what: string, content: any): LocalResponse {
    const one = /^GET \/resources\/applicants\/(?:-;externalUserId=)?([^/]+)\/one$/.exec(what)?.[1]
    if (one !== undefined) {
      const found = [...applicants.values()].find(({ id, externalUserId }) => id === one || externalUserId === one)
      return found ? { status: 200, body: found } : { status: 404, body: { code: 404, description: 'Not found' } }
    }
    if (what === `POST /resources/applicants?levelName=${encodeURIComponent(sumsubKeys.level)}`) {
      const { externalUserId } = content
      const exists = [...applicants.values()].some((applicant) => applicant.externalUserId === externalUserId)
      return exists ? { status: 409, body: { code: 409 } } : { status: 201, body: add({ externalUserId }) }
    }
    if (what === 'POST /resources/sdkIntegrations/levels/-/websdkLink') {
      const exists = [...applicants.values()].some(({ externalUserId }) => externalUserId === content.userId)
      if (content.levelName !== sumsubKeys.level || content.ttlInSecs < 60 || !exists) return reject('link')
      return { status: 200, body: { url: `https://in.sumsub.example/websdk/p/${content.userId}` } }
    }
    if (what === 'POST /resources/applicants/-/import?shareToken=good%2Ftoken') {
      const externalUserId = `copy-${made}`
      return { status: 200, body: add({ externalUserId, info: verifiedInfo, review: reviews.green }) }
    }
    if (what.startsWith('POST /resources/applicants/-/import?shareToken=')) {
      return { status: 400, body: { code: 400, errorCode: 10503, errorName: 'invalid-share-token' } }
    }
    if (what === 'POST /resources/accessTokens/shareToken') {
      if (!applicants.has(content.applicantId)) return reject('share of nobody')
      return { status: 200, body: { token: `share-${++made}`, forClientId: content.forClientId } }
    }
    return reject(what, 404)
  }

  function add(more: Partial<SumsubApplicant>): SumsubApplicant {
    const id = `5d08a63239b79354a2eb${String(++made).padStart(4, '0')}`
    const applicant = { id, externalUserId: '', review: { reviewStatus: 'init' }, ...more }
    applicants.set(id, applicant)
    return applicant
  }

  const server = await startLocalServer(respond)
  const config: SumsubConfig = { url: server.url, ...sumsubKeys }
  return { config, applicants, problems, seen, scripted, stop: server.stop }
}

/** Verified data in Sumsub's format: names in two scripts, countries as three-letter codes. */
export const verifiedInfo = {
  firstName: 'Άντα',
  firstNameEn: 'Ada',
  lastName: 'Lovelace',
  dob: '1990-12-10',
  country: 'GBR',
  nationality: 'GRC',
  addresses: [{ street: 'Hauptstraße 1', subStreet: '2. OG', town: 'Berlin', postCode: '10115', country: 'DEU' }],
}

export const reviews = {
  green: { reviewStatus: 'completed', reviewResult: { reviewAnswer: 'GREEN' } },
  retry: { reviewStatus: 'completed', reviewResult: { reviewAnswer: 'RED', reviewRejectType: 'RETRY' } },
  final: { reviewStatus: 'completed', reviewResult: { reviewAnswer: 'RED', reviewRejectType: 'FINAL' } },
}

/** Returns the headers of a Sumsub webhook. */
export function digestOf(body: string, { secret = sumsubKeys.webhookSecret, algorithm = 'sha256' } = {}) {
  return {
    'x-payload-digest': createHmac(algorithm, secret).update(body).digest('hex'),
    'x-payload-digest-alg': `HMAC_${algorithm.toUpperCase()}_HEX`,
  }
}
