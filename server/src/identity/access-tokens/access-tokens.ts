import { type KeyObject, sign } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import { type Awaitable, whenReady } from '../../platform/cache/awaitable.ts'
import { keepBounded } from '../../platform/cache/bounded.ts'
import { onePer } from '../../platform/cache/snapshot.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Caller } from '../../platform/http/access.ts'
import { concatenated } from './es256.ts'
import { algorithm, currentKey, isTrusted, type KeyHolder, verificationKey } from './keys.ts'

/**
 * Access tokens: JWTs that say who signed in, for how long. Nothing is stored; trust in one ends with its `exp` or with
 * its key. The caller of a verified token is kept with the whole token, so that no other text, however alike, is ever
 * taken for it.
 */
const mostVerified = 20_000
const longestToken = 2048

type Verified = { readonly token: string; readonly kid: string; readonly caller: Caller }

const verifiedTokens = onePer((_db: Db) => new Map<number, Verified>())

export async function issueToken(ctx: KeyHolder, bearer: Caller, issuedAt = ctx.clock.now()): Promise<string> {
  const { userId, signerAddress, chainId, signedBy, expiresAt, partnerId } = bearer
  const { kid, privateKey } = await currentKey(ctx)
  // Until the wallet registers, the token remembers whose domain it came from; a user keeps what was noted then.
  const user = userId === null ? { partnerId } : { sub: userId, userId }
  const contract = signedBy === 'contract' ? { signedBy } : {}
  const claims = {
    signerAddress,
    chainId,
    hasSignedUp: userId !== null,
    ...user,
    ...contract,
    iss: ctx.config.tokenIssuer,
    aud: ctx.config.tokenAudience,
    iat: seconds(issuedAt),
    exp: seconds(expiresAt),
    jti: newId(issuedAt),
  }
  return signed({ alg: algorithm, kid, typ: 'JWT' }, claims, privateKey)
}

/**
 * A compact JWS (RFC 7515) by ES256. The library goes through WebCrypto, and Node's own way to the form that a JWS wants
 * its signature in takes as long as the signature.
 */
function signed(header: object, claims: object, key: KeyObject): string {
  const content = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${content}.${concatenated(sign('sha256', Buffer.from(content), key)).toString('base64url')}`
}

/** Who bears the token. Refuses one that is not ours, not valid any more, or signed by a key that is not trusted any more. */
export function verifyToken(ctx: KeyHolder, token: string): Awaitable<Caller> {
  if (token.length > longestToken) throw new Refusal('INVALID_TOKEN')
  const known = verifiedTokens(ctx.db).get(tailOf(token))
  if (known?.token !== token) return verifyFirst(ctx, token)
  const now = ctx.clock.now()
  return whenReady(isTrusted(ctx, known.kid, now), (isKeyTrusted) => {
    if (!isKeyTrusted) throw new Refusal('INVALID_TOKEN')
    if (now.getTime() >= known.caller.expiresAt.getTime()) throw new Refusal('TOKEN_EXPIRED')
    return known.caller
  })
}

async function verifyFirst(ctx: KeyHolder, token: string): Promise<Caller> {
  const fresh = await readToken(ctx, token)
  keepBounded(verifiedTokens(ctx.db), tailOf(token), fresh, mostVerified)
  return fresh.caller
}

/** A number made of the end of its signature: what differs most between two tokens, and is found faster than a text. */
function tailOf(token: string): number {
  let tail = 0
  for (let at = token.length - 8; at < token.length; at++) tail = (Math.imul(tail, 31) + token.charCodeAt(at)) | 0
  return tail
}

/** Only our algorithm and our keys count: what a token says of keys (`jwk`, `jku`, `x5u` …) is not looked at. */
async function readToken(ctx: KeyHolder, token: string): Promise<Verified> {
  const keyNamed = async ({ kid }: { kid?: string }) => {
    const key = kid === undefined ? null : await verificationKey(ctx, kid)
    if (key === null) throw new Refusal('INVALID_TOKEN')
    return key
  }
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keyNamed, {
      algorithms: [algorithm],
      typ: 'JWT',
      issuer: ctx.config.tokenIssuer,
      audience: ctx.config.tokenAudience,
      requiredClaims: ['exp'],
      currentDate: ctx.clock.now(),
    })
    const { userId, signerAddress, chainId, signedBy, exp, partnerId } = payload
    const { kid } = protectedHeader
    if (typeof signerAddress !== 'string' || typeof chainId !== 'string' || exp === undefined || kid === undefined) {
      throw new Refusal('INVALID_TOKEN')
    }
    const caller: Caller = {
      userId: typeof userId === 'string' ? userId : null,
      signerAddress,
      chainId,
      signedBy: signedBy === 'contract' ? signedBy : 'key',
      expiresAt: new Date(exp * 1000),
      ...(typeof partnerId === 'string' ? { partnerId } : {}),
    }
    return { token, kid, caller: Object.freeze(caller) }
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Refusal('TOKEN_EXPIRED')
    if (error instanceof errors.JOSEError) throw new Refusal('INVALID_TOKEN')
    throw error
  }
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
