import { errors, jwtVerify, SignJWT } from 'jose'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import type { Caller } from '../../platform/http/access.ts'
import { algorithm, currentKey, isTrusted, type KeyHolder, verificationKey } from './keys.ts'

/**
 * Access tokens: JWTs that name the signed-in wallet and its user. Tokens are not stored. A token is trusted until its
 * `exp`, or until its key is no longer trusted.
 */
const maxTokenLength = 2048

export type VerifiedToken = { readonly kid: string; readonly caller: Caller }

export async function issueToken(ctx: KeyHolder, bearer: Caller, issuedAt = ctx.clock.now()): Promise<string> {
  const { userId, signerAddress, chainId, signedBy, expiresAt, partnerId, isShared } = bearer
  const { kid, privateKey } = await currentKey(ctx)
  const user = userId === null ? {} : { sub: userId, userId }
  const contract = signedBy === 'contract' ? { signedBy } : {}
  return new SignJWT({
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
    jti: newId(issuedAt),
  })
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .sign(privateKey)
}

/** Returns the bearer of the token. Rejects a token that is expired, not ours, or signed by a key that is not trusted. */
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
  try {
    const { payload, protectedHeader } = await jwtVerify(token, findKey, {
      algorithms: [algorithm],
      typ: 'JWT',
      issuer: ctx.config.tokenIssuer,
      audience: ctx.config.tokenAudience,
      requiredClaims: ['exp'],
      currentDate: ctx.clock.now(),
    })
    const { userId, signerAddress, chainId, signedBy, exp, partnerId, isShared } = payload
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
      ...(isShared === true ? { isShared } : {}),
    }
    return { kid, caller: Object.freeze(caller) }
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Refusal('TOKEN_EXPIRED')
    if (error instanceof errors.JOSEError) throw new Refusal('INVALID_TOKEN')
    throw error
  }
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
