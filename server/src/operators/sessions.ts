import { createHash, randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Hex } from 'viem'
import { namesThisMachine } from '../config/outbound.ts'
import { isTestAccount } from '../config/test-accounts.ts'
import type { Ctx } from '../context.ts'
import { readSigned } from '../identity/auth/auth.ts'
import { proveSigner } from '../identity/auth/proof.ts'
import { operatorUri, rejectedTimes, type SignInMessage } from '../identity/auth/rules.ts'
import { addSeconds } from '../lib/clock.ts'
import { Refusal, type RefusalCode } from '../lib/errors.ts'
import { lastId, newId } from '../lib/id.ts'
import { mayOperate, type SessionVia } from '../lib/operator-permission.ts'
import type { OperatorCaller } from '../platform/http/access.ts'
import { reportSecurity } from '../platform/observability/security-events.ts'
import { addTestOperator, findActiveOperator } from './operators.ts'
import { type ListedRows, type ListRequest, readList } from './pages.ts'
import {
  credentialsOf,
  idleSeconds,
  isFromConsole,
  maxSessionsPerWallet,
  operatorSessionSeconds,
  tokenOfBytes,
  touchSeconds,
} from './rules.ts'
import {
  deleteOldSessions,
  deleteOperatorSession,
  deleteSessionsOf,
  findOperatorSessions,
  insertOperatorSession,
  lockOperator,
  type Operator,
  type OperatorSession,
  touchSession,
} from './sql.ts'

/**
 * Sessions of operators. Owns `operator_session`. Operators sign in with a nonce and a message, as users do. Their
 * message names the console, so neither message opens a session of the other kind.
 *
 * Invariants:
 * - Only a hash of a token is stored.
 * - Every request reads the session and the role, so a removal or a new role takes effect at once in all processes.
 * - A session alone makes no decision: each decision also needs a signature of the wallet.
 */
type Signed = { readonly message: string; readonly signature: Hex }

type Attempt = {
  readonly via: SessionVia
  readonly admit: (wallet: string) => Promise<void>
  readonly client: string
  /** The host that the request names. */
  readonly hostname: string
}

export type OpenedSession = { readonly token: string; readonly operator: OperatorCaller }

/**
 * Exchanges a signed message for a session. Wrong signatures and wallets that are not operators get the same response.
 */
export async function signInOperator(
  ctx: Ctx,
  given: Signed,
  { via, admit, client, hostname }: Attempt,
): Promise<OpenedSession> {
  const { message, ...signed } = readSigned(ctx, given)
  const { address, chainId } = message
  const operator = await findActiveOperator(ctx, ctx.db, address)
  const contractChainId = operator?.contractChainId ?? null
  const isContract = contractChainId === chainId
  const rejected = isForConsole(ctx, message) ? rejectedTimes(message, ctx.clock.now()) : 'DOMAIN_NOT_ALLOWED'
  const signer = await proveSigner(ctx, { ...message, ...signed }, { rejected, isContract, client })
  if (signer !== 'key' && signer !== 'contract') throw new Refusal(withoutDetail(signer))
  await admit(address)
  if (signer !== (contractChainId === null ? 'key' : 'contract')) throw new Refusal('NOT_AN_OPERATOR')
  // Everybody has the keys of the test accounts, so they open no session through a tunnel to a sandbox.
  if (isTestAccount(address) && !namesThisMachine(hostname)) throw new Refusal('NOT_AN_OPERATOR')
  await addTestOperator(ctx, address)
  return openSession(ctx, address, via)
}

/** The message names the console's domain and the one URI that messages of users never have. */
function isForConsole({ config }: Ctx, { domain, uri }: SignInMessage): boolean {
  const origin = config.servers.console
  return domain === new URL(origin).host && uri === operatorUri(origin)
}

/** Other people must not learn from a rejected signature whether the wallet is an operator. */
function withoutDetail(code: RefusalCode): RefusalCode {
  return code === 'INVALID_SIGNATURE' || code === 'CHAIN_NOT_SUPPORTED' ? 'NOT_AN_OPERATOR' : code
}

async function openSession(ctx: Ctx, address: string, via: SessionVia): Promise<OpenedSession> {
  const now = ctx.clock.now()
  const token = tokenOfBytes(randomBytes(32))
  const session = {
    ...{ sessionId: newId(now), address, via, createdAt: now, usedAt: now },
    expiresAt: addSeconds(now, operatorSessionSeconds),
  }
  const operator = await ctx.db.transaction(async (tx) => {
    const locked = await lockOperator(tx, address)
    const isActive = (await findActiveOperator(ctx, tx, address)) !== null
    if (locked === null || !isActive) throw new Refusal('NOT_AN_OPERATOR')
    await deleteOldSessions(tx, { address, kept: maxSessionsPerWallet - 1, now, idleSince: idleSince(now) })
    await insertOperatorSession(tx, session, hashToken(token))
    return locked
  })
  reportSecurity(ctx, 'operator_signed_in', operator.role, { operator: address, sessionId: session.sessionId })
  return { token, operator: callerOf(operator, session) }
}

function callerOf(
  { address, contractChainId, personId, name, role }: Operator,
  { sessionId, via, expiresAt }: OperatorSession,
): OperatorCaller {
  return { sessionId, via, expiresAt, address, contractChainId, personId, name, role }
}

/**
 * Returns the check of every route that only operators may call: an open session, the page that sent the cookie, and
 * the role.
 */
export function operatorGuard(ctx: Ctx): (request: FastifyRequest) => Promise<void> {
  const origin = ctx.config.servers.console
  return async (request) => {
    const credentials = credentialsOf(request.headers, origin)
    if (credentials === null) throw new Refusal('OPERATOR_UNAUTHORIZED')
    const { via, token } = credentials
    if (via === 'cookie' && !isFromConsole(request.method, request.headers, origin))
      throw new Refusal('ORIGIN_NOT_ALLOWED')
    const now = ctx.clock.now()
    const times = { now, idleSince: idleSince(now), touchedBefore: addSeconds(now, -touchSeconds) }
    const operator = await touchSession(ctx.db, { tokenHash: hashToken(token), via, ...times })
    if (operator === null) throw new Refusal('OPERATOR_UNAUTHORIZED')
    request.operator = operator
    const { may } = request.routeOptions.config
    if (may === undefined || !mayOperate(operator.role, may)) throw new Refusal('ROLE_NOT_PERMITTED')
  }
}

/** Returns a page of the sessions that the operator may see: those of their own wallet, or of everybody. */
export async function listOperatorSessions(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  caller: OperatorCaller,
  request: ListRequest,
): Promise<ListedRows<OperatorSession>> {
  const now = ctx.clock.now()
  const address = mayOperate(caller.role, 'sessions:read') ? null : caller.address
  const filter = { address, now, idleSince: idleSince(now) }
  return readList(
    { parts: ['id'], from: 'newest' },
    request,
    ([before = lastId], limit) => findOperatorSessions(ctx.db, filter, before, limit),
    ({ sessionId }) => [sessionId],
  )
}

export async function endOperatorSession(
  { db }: Pick<Ctx, 'db'>,
  caller: OperatorCaller,
  sessionId: string,
): Promise<void> {
  const address = mayOperate(caller.role, 'sessions:end') ? null : caller.address
  if (!(await deleteOperatorSession(db, sessionId, address))) throw new Refusal('SESSION_NOT_FOUND')
}

/** Ends all sessions of the caller's wallet. */
export async function endOwnSessions({ db }: Pick<Ctx, 'db'>, { address }: OperatorCaller): Promise<void> {
  await deleteSessionsOf(db, address)
}

function idleSince(now: Date): Date {
  return addSeconds(now, -idleSeconds)
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
