import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Hex } from 'viem'
import { getAddress, hashTypedData } from 'viem/utils'
import type { Ctx } from '../../context.ts'
import { proveWallet } from '../../identity/auth/proof.ts'
import { addSeconds } from '../../lib/clock.ts'
import { Refusal } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import { domainsFor, partnerOfOrigin } from '../../partners/domains.ts'
import { deriveKeys } from '../../platform/crypto/derive-key.ts'
import { openNonce, sealNonce } from '../../platform/crypto/sealed-nonce.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { OwnerKey, UserCaller } from '../../platform/http/access.ts'
import type { CardDetails } from '../../providers/card-details/card-details.ts'
import type { IssuedCard } from '../../providers/issuer/issuer.ts'
import { type Card, readApprovedCard, readCard } from '../cards/cards.ts'
import { challengeLifeSeconds, isViewable, shownPart, type ViewAction, viewLifeSeconds, viewRequest } from './rules.ts'
import { deleteViews, findOpenable, findOwnPartner, insertView, markOpened, type ViewKey } from './sql.ts'

/**
 * Shows a card's number, security code and PIN to its owner. Owns `card_view`.
 * challenge → signed by the wallet → one-time token → frame. The signature is a second factor: a stolen access token
 * alone reveals nothing.
 *
 * Invariants:
 * - A challenge is bound to one user, wallet, card and action, and yields one token.
 * - A token opens one view, once.
 * - Card data goes from the provider into the frame's page only. It is never stored, logged or put into JSON.
 */
export type Wanted = { readonly cardId: string; readonly action: ViewAction }

/** Issues a challenge. Writes nothing, because the nonce authenticates itself. */
export async function issueChallenge(ctx: Ctx, caller: UserCaller, { cardId, action }: Wanted) {
  const card = viewable(await readCard(ctx, caller, cardId))
  const expiresAt = addSeconds(ctx.clock.now(), challengeLifeSeconds)
  const sealed = sealNonce(challengeKeys(ctx), purposeOf(caller, { cardId, action }), expiresAt)
  return viewRequest(card, { action, chainId: Number(caller.chainId), nonce: BigInt(`0x${sealed}`) })
}

export type SignedChallenge = Wanted & {
  readonly nonce: bigint
  readonly signature: Hex
  /** The `Origin` of the requesting page; null: the request is not from a browser. */
  readonly origin: string | null
}
export type ViewToken = { readonly token: string; readonly expiresAt: Date }

/** Exchanges a signed challenge for a token. A wrong signature uses up the challenge; an outage of a chain does not. */
export async function redeemChallenge(ctx: Ctx, caller: UserCaller, signed: SignedChallenge): Promise<ViewToken> {
  const { cardId, action, nonce, signature, origin } = signed
  const card = viewable(await readCard(ctx, caller, cardId))
  const sealed = nonce.toString(16).padStart(64, '0')
  const nonceExpiresAt = openNonce(challengeKeys(ctx), purposeOf(caller, signed), sealed)
  if (nonceExpiresAt === null) throw new Refusal('INVALID_CHALLENGE')
  const now = ctx.clock.now()
  if (now >= nonceExpiresAt) throw new Refusal('CHALLENGE_EXPIRED')

  const chainId = Number(caller.chainId)
  const hash = hashTypedData(viewRequest(card, { action, chainId, nonce }))
  const address = getAddress(caller.signerAddress)
  const proof = await proveWallet(ctx, { address, chainId, hash, signature, nonce: sealed, nonceExpiresAt })
  if (proof === 'NONCE_USED') throw new Refusal('CHALLENGE_USED')
  if (typeof proof === 'string' || proof.userId !== caller.userId) throw new Refusal('CHALLENGE_NOT_SIGNED')

  const key = { userId: caller.userId, viewId: newId(now) }
  const { token, tokenHash } = newToken(key)
  const expiresAt = addSeconds(now, viewLifeSeconds)
  // With SHARED_DOMAINS, pages of the requesting partner show the card, instead of those of the user's own partner.
  const other = origin !== null && ctx.config.sharedDomains ? await partnerOfOrigin(ctx, origin) : null
  const partnerId = other ?? (await findOwnPartner(ctx.db, caller.userId))
  await insertView(ctx.db, { ...key, cardId, signerAddress: address, action, tokenHash, expiresAt, partnerId }, now)
  return { token, expiresAt }
}

export type Shown = { readonly last4: string } & ({ readonly details: CardDetails } | { readonly pin: string })

/**
 * Opens a token. Returns the card data and the domains that may frame it. If the provider fails, the token stays valid.
 */
export async function openView(ctx: Ctx, token: string): Promise<{ shown: Shown; domains: readonly string[] }> {
  const key = readToken(token)
  const now = ctx.clock.now()
  const view = key && (await findOpenable(ctx.db, key, now))
  if (!view || !timingSafeEqual(Buffer.from(view.tokenHash), Buffer.from(hashOf(token)))) {
    throw new Refusal('VIEW_REFUSED')
  }
  const card = viewable(await readApprovedCard(ctx, view, view.cardId))
  const shown =
    shownPart(view.action) === 'pin'
      ? { last4: card.last4, pin: await ctx.cardDetails.readPin(card) }
      : { last4: card.last4, details: await ctx.cardDetails.readDetails(card) }
  // The update decides which of two concurrent requests is the first.
  if (!(await markOpened(ctx.db, view, now))) throw new Refusal('VIEW_REFUSED')
  return { shown, domains: await domainsFor(ctx, view.partnerId) }
}

/** Deletes the records of card views when the user is erased. */
export async function eraseViews(tx: Tx, userId: string): Promise<void> {
  await deleteViews(tx, userId)
}

function viewable({
  cardId,
  status,
  cardToken,
  last4,
  expiryMonth,
  expiryYear,
}: Card): IssuedCard & { cardId: string } {
  const isMade = cardToken !== null && last4 !== null && expiryMonth !== null && expiryYear !== null
  if (!isMade || !isViewable(status)) throw new Refusal('INVALID_CARD_STATUS')
  return { cardId, cardToken, last4, expiryMonth, expiryYear }
}

function challengeKeys(ctx: Ctx) {
  return deriveKeys(ctx.config.secrets, 'card view')
}

function purposeOf({ userId, signerAddress }: OwnerKey, { cardId, action }: Wanted): string {
  return `${userId} ${signerAddress} ${cardId} ${action}`
}

const idBytes = 16
const tokenPattern = /^[A-Za-z0-9_-]{86}$/

/** Joins the user id, the view id and 32 random bytes. The ids find the row by its primary key. */
function newToken({ userId, viewId }: ViewKey): { token: string; tokenHash: string } {
  const ids = Buffer.from(`${userId}${viewId}`.replaceAll('-', ''), 'hex')
  const token = Buffer.concat([ids, randomBytes(32)]).toString('base64url')
  return { token, tokenHash: hashOf(token) }
}

function readToken(token: string): ViewKey | null {
  if (!tokenPattern.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  const uuid = (start: number) =>
    bytes.toString('hex', start, start + idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { userId: uuid(0), viewId: uuid(idBytes) }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
