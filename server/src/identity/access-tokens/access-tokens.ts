import { type KeyObject, sign } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { Refusal } from '../../lib/errors.ts'
import { isId } from '../../lib/id.ts'
import type { Caller } from '../../platform/http/access.ts'
import { algorithm, currentKey, isTrusted, type KeyHolder, verificationKey } from './keys.ts'

/**
 * Access tokens: JWTs that name the signed-in wallet, its session and its user. A token is genuine until its `exp`, or
 * until its key is no longer trusted. The queries that check the caller also check that its session is still open.
 */
const maxTokenLength = 2048

export type VerifiedToken = { readonly kid: string; readonly caller: Caller }

export async function issueToken(ctx: KeyHolder, bearer: Caller, issuedAt = ctx.clock.now()): Promise<string> {
  const { sessionId, userId, accessId, signerAddress, chainId, signedBy, expiresAt, partnerId, isShared } = bearer
  const { kid, privateKey } = await currentKey(ctx)
  const user = userId === null ? {} : { sub: userId, userId, accessId }
  const contract = signedBy === 'contract' ? { signedBy } : {}
  return signed(kid, privateKey, {
    signerAddress,
    chainId,
    hasSignedUp: userId !== null,
    ...{ partnerId, isShared },
    ...user,
    ...contract,
    iss: ctx.config.tokenIssuer,
    aud: ctx.config.tokenAudience,
    iat: seconds(issuedAt),
    exp: seconds(expiresAt),
    jti: sessionId,
  })
}

/**
 * Returns the claims as a compact JWS (RFC 7515, section 7.1). Signing with `node:crypto` is cheaper than with
 * WebCrypto: see docs/decisions/0004-speed.md.
 */
function signed(kid: string, privateKey: KeyObject, claims: JWTPayload): string {
  const text = [{ alg: algorithm, kid, typ: 'JWT' }, claims].map(encodePart).join('.')
  // The raw form of the signature, as JWS requires, instead of DER (RFC 7518, section 3.4).
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

const encodePart = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/**
 * Returns the bearer of the token. Rejects a token that is expired, not ours, or signed by a key that is not trusted.
 */
export async function verifyToken(ctx: KeyHolder, token: string): Promise<Caller> {
  if (token.length > maxTokenLength) throw new Refusal('INVALID_TOKEN')
  const { accessTokens } = ctx.caches
  const cached = accessTokens.get(token)
  if (cached === undefined) {
    const verified = await readToken(ctx, token)
    accessTokens.set(token, verified)
    return verified.caller
  }
  const now = ctx.clock.now()
  if (!(await isTrusted(ctx, cached.kid, now))) throw new Refusal('INVALID_TOKEN')
  if (now.getTime() >= cached.caller.expiresAt.getTime()) throw new Refusal('TOKEN_EXPIRED')
  return cached.caller
}

/** Accepts only our algorithm and our keys. Keys that the token itself names (`jwk`, `jku`, `x5u`, …) are ignored. */
async function readToken(ctx: KeyHolder, token: string): Promise<VerifiedToken> {
  const findKey = async ({ kid }: { kid?: string }) => {
    const key = kid === undefined ? null : await verificationKey(ctx, kid)
    if (key === null) throw new Refusal('INVALID_TOKEN')
    return key
  }
  // Lenient decoders ignore the unused bits of a part's last character, so one token would have many spellings.
  if (!token.split('.').every(isCanonical)) throw new Refusal('INVALID_TOKEN')
  try {
    const { payload, protectedHeader } = await jwtVerify(token, findKey, {
      algorithms: [algorithm],
      typ: 'JWT',
      issuer: ctx.config.tokenIssuer,
      audience: ctx.config.tokenAudience,
      requiredClaims: ['exp'],
      currentDate: ctx.clock.now(),
    })
    const { jti: sessionId, userId, accessId, signerAddress, chainId, signedBy, exp, partnerId, isShared } = payload
    const { kid } = protectedHeader
    if (typeof signerAddress !== 'string' || typeof chainId !== 'string' || exp === undefined || kid === undefined) {
      throw new Refusal('INVALID_TOKEN')
    }
    // A token without a session could not be ended.
    const hasUser = isIdClaim(userId) && isIdClaim(accessId)
    if (!isIdClaim(sessionId) || (userId !== undefined && !hasUser)) throw new Refusal('INVALID_TOKEN')
    const caller: Caller = {
      sessionId,
      userId: hasUser ? userId : null,
      accessId: hasUser ? accessId : null,
      signerAddress,
      chainId,
      signedBy: signedBy === 'contract' ? signedBy : 'key',
      expiresAt: new Date(exp * 1000),
      ...(typeof partnerId === 'string' ? { partnerId } : {}),
      ...(isShared === true ? { isShared } : {}),
    }
    return { kid, caller: Object.freeze(caller) }
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Refusal('TOKEN_EXPIRED')
    if (error instanceof errors.JOSEError) throw new Refusal('INVALID_TOKEN')
    throw error
  }
}

function isIdClaim(claim: unknown): claim is string {
  return typeof claim === 'string' && isId(claim)
}

function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
