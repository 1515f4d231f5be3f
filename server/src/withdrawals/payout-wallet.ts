import type { Ctx } from '../context.ts'
import { max } from '../lib/money.ts'
import type { ChainProvider, SignedPayout } from '../providers/chain/chain.ts'
import { findLastNonce, type PayoutKey, scanDueAmounts, type Withdrawal } from './sql.ts'

/** The wallets that pay: what they can send, and the next transaction of one. They belong to no user. */

const figureLifeMilliseconds = 2000

export type ReadyPayout = { readonly key: PayoutKey; readonly signed: SignedPayout }

/**
 * A transaction that pays a withdrawal, signed and not sent; null while the wallet cannot send that much.
 * Read in this order, two processes cannot promise the same funds: if another reserves meanwhile, our nonce is its nonce
 * and cannot be stored; if it did before, what it reserved counts as in flight.
 */
export async function preparePayout(
  ctx: Ctx,
  { chainId, token, toAddress, amount }: Withdrawal,
): Promise<ReadyPayout | null> {
  const signer = await ctx.chain.payoutSigner(chainId)
  const [last, next] = await Promise.all([findLastNonce(ctx.db, chainId, signer), ctx.chain.payoutNonce(chainId)])
  const nonce = last === null ? next : max(next, last + 1n)
  const inFlight = await amountOf(ctx, token, 'processing')
  if ((await ctx.chain.payoutFunds(chainId, token)) - inFlight < amount) return null
  const signed = await ctx.chain.signPayout({ chainId, token, toAddress, amount, nonce })
  return { key: { chainId, signer, nonce }, signed }
}

async function amountOf(ctx: Ctx, token: string, status: 'pending' | 'processing'): Promise<bigint> {
  const amounts = await scanDueAmounts(ctx.db)
  return amounts.find((row) => row.token === token && row.status === status)?.amount ?? 0n
}

const turns = new WeakMap<ChainProvider, Promise<unknown>>()

/** One payout at a time in this process: they would only take each other's nonces. */
export function inTurn<T>(chain: ChainProvider, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(chain) ?? Promise.resolve()).then(work)
  turns.set(
    chain,
    turn.catch(() => {}),
  )
  return turn
}

type Figures = { readonly readAt: number; readonly free: Promise<ReadonlyMap<string, bigint>> }

const figures = new WeakMap<ChainProvider, Figures>()

/** By token, what the wallets hold less what is requested and not paid: at most 2 s old, so that reads stay cheap. */
export function freeFunds(ctx: Ctx): Promise<ReadonlyMap<string, bigint>> {
  const now = ctx.clock.now().getTime()
  const known = figures.get(ctx.chain)
  if (known && now - known.readAt < figureLifeMilliseconds) return known.free
  const free = readFreeFunds(ctx)
  figures.set(ctx.chain, { readAt: now, free })
  free.catch(() => figures.delete(ctx.chain))
  return free
}

async function readFreeFunds(ctx: Ctx): Promise<ReadonlyMap<string, bigint>> {
  const queued = await scanDueAmounts(ctx.db)
  const free = ctx.config.tokens.map(async ({ chainId, address }) => {
    const held = await ctx.chain.payoutFunds(chainId, address).catch((error: unknown) => {
      // A balance that cannot be read promises nothing at once; a withdrawal may be requested all the same.
      ctx.log.warn({ err: error, chainId }, 'the payout wallet cannot be read')
      return 0n
    })
    const promised = queued.filter(({ token }) => token === address).reduce((total, { amount }) => total + amount, 0n)
    return [address, max(0n, held - promised)] as const
  })
  return new Map(await Promise.all(free))
}
