import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { timeOf } from '../../lib/id.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { Caller, UserCaller } from '../../platform/http/access.ts'
import { maxTokenSeconds } from '../access-tokens/rules.ts'
import { endOwnerSession, findUserOfSigner, listOwners, lockUser, type Owner, renewAccess } from '../users/users.ts'
import { nonceLifeSeconds, signerOf, signersOf } from './rules.ts'
import { clearSession, clearSessions, findSessions, hasSession, lockSession } from './sql.ts'

/**
 * Sessions: each sign-in begins one, which ends with its access token or by logging out. The SQL statement that uses up
 * the nonce of the sign-in writes the session to the same row of `used_nonce`.
 *
 * The owner's row also records ended sessions, in `owner.ended_sessions`, so that the query that checks an owner does
 * not read `used_nonce`. A new `owner.access_id` ends all sessions. Routes that check no owner read `used_nonce`.
 *
 * Invariants:
 * - An ended session stays ended, in all processes, from the next request on.
 * - A wallet has at most `maxSessions` sessions.
 */
type SessionCtx = Pick<Ctx, 'db' | 'clock'>

/** Throws ACCESS_REVOKED unless the session is open. For routes whose queries do not check an owner. */
export async function requireOpenSession({ db }: { readonly db: Queryable }, caller: Caller): Promise<void> {
  if (!(await hasSession(db, signerOf(caller), caller.sessionId))) throw new Refusal('ACCESS_REVOKED')
}

/** Throws ACCESS_REVOKED unless the session is open. It then cannot end before the transaction does. */
export async function lockOpenSession(tx: Tx, caller: Caller): Promise<void> {
  if (!(await lockSession(tx, signerOf(caller), caller.sessionId))) throw new Refusal('ACCESS_REVOKED')
}

export type SessionRecord = {
  readonly sessionId: string
  readonly address: string
  readonly domain: string
  readonly signedInAt: Date
  readonly expiresAt: Date
  readonly isCurrent: boolean
}

/** Returns the open sessions of all of the user's owners, newest first. */
export async function listSessions({ db, clock }: SessionCtx, caller: UserCaller): Promise<SessionRecord[]> {
  const owners = await listOwners(db, caller)
  const signers = new Map(owners.flatMap((owner) => signersOf(owner).map((signer) => [signer, owner.address] as const)))
  const sessions = await findSessions(db, [...signers.keys()], clock.now())
  return sessions.map(({ sessionId, signer, domain, expiresAt }) => ({
    sessionId,
    address: signers.get(signer) ?? signer,
    domain,
    signedInAt: timeOf(sessionId),
    expiresAt,
    isCurrent: sessionId === caller.sessionId,
  }))
}

/**
 * Ends the session of the caller. If the wallet is registering at the same time, the statement that clears the session
 * waits for the registration. So a wallet without a user is looked up again.
 */
export async function logOut(ctx: SessionCtx, caller: Caller): Promise<void> {
  const { sessionId, signerAddress } = caller
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const oldest = addSeconds(now, -maxTokenSeconds)
    const endOwners = async (userId: string) => {
      if (await endOwnerSession(tx, { userId, signerAddress, sessionId }, oldest)) return
      await clearOwners(tx, await renewAccess(tx, userId, now, signerAddress), now)
    }
    const userId = await userOf(tx, caller)
    if (userId !== null) await endOwners(userId)
    await clearSession(tx, { signer: signerOf(caller), sessionId, nonceExpiresAt: addSeconds(now, nonceLifeSeconds) })
    const newUserId = userId === null ? await userOf(tx, caller) : null
    if (newUserId !== null) await endOwners(newUserId)
  })
}

/** Ends all sessions of the caller's user, of every owner. Without a user, ends all sessions of the wallet. */
export async function logOutEverywhere(ctx: SessionCtx, caller: Caller): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const userId = await userOf(tx, caller)
    if (userId !== null) return endUserSessions(tx, userId, now)
    await clear(tx, [signerOf(caller)], now)
    const newUserId = await userOf(tx, caller)
    if (newUserId !== null) await endUserSessions(tx, newUserId, now)
  })
}

/** Ends all sessions of a user. */
export async function endUserSessions(tx: Tx, userId: string, now: Date): Promise<void> {
  await clearOwners(tx, await renewAccess(tx, userId, now), now)
}

/** Ends the sessions of owners, or of former owners. Replacing their access ids is up to the caller. */
export async function clearOwners(tx: Tx, owners: readonly Owner[], now: Date): Promise<void> {
  await clear(tx, owners.flatMap(signersOf), now)
}

/**
 * Ends all sessions of the wallet except the new one, which becomes the only one. Returns the access id for the new
 * access token; null without a user. As in `logOut`, a wallet without a user is looked up again.
 *
 * Throws NONCE_USED, after which clients sign in again, if a concurrent request has ended the new session or removed
 * the wallet from its user. So if two such sign-ins are concurrent, the session of one of them stays open.
 */
export async function endEarlierSessions(ctx: SessionCtx, caller: NewCaller): Promise<string | null> {
  const now = ctx.clock.now()
  const { userId, signerAddress, sessionId } = caller
  return ctx.db.transaction(async (tx) => {
    if (userId !== null) await lockUser(tx, userId)
    if (!(await lockSession(tx, signerOf(caller), sessionId))) throw new Refusal('NONCE_USED')
    const owners = userId === null ? [] : await renewAccess(tx, userId, now, signerAddress)
    if (userId !== null && owners.length === 0) throw new Refusal('NONCE_USED')
    await clear(tx, [signerOf(caller), ...owners.flatMap(signersOf)], now, sessionId)
    const newUserId = userId === null ? await userOf(tx, caller) : null
    if (newUserId !== null) await renewAccess(tx, newUserId, now, signerAddress)
    return owners[0]?.accessId ?? null
  })
}

type NewCaller = Pick<Caller, 'userId' | 'sessionId' | 'signerAddress' | 'signedBy' | 'chainId'>

/**
 * Returns the current user of the wallet, which can differ from the user in the access token. The wallet may have been
 * registered since, or been removed from that user.
 */
async function userOf(tx: Tx, { signerAddress: address, signedBy, chainId }: NewCaller): Promise<string | null> {
  return findUserOfSigner(tx, { address, contractChainId: signedBy === 'contract' ? Number(chainId) : null })
}

async function clear(tx: Tx, signers: readonly string[], now: Date, except: string | null = null): Promise<void> {
  await clearSessions(tx, { signers, except, nonceExpiresAt: addSeconds(now, nonceLifeSeconds) })
}
