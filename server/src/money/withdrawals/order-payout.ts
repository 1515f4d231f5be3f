import { findToken, type Token } from '../../config/stablecoins.ts'
import type { Ctx } from '../../context.ts'
import { lockAccount } from '../../identity/users/users.ts'
import { type LockedAccount, readBalances } from '../../ledger/ledger.ts'
import { tokenSpendable } from '../../ledger/rules.ts'
import { readAddress } from '../../lib/address.ts'
import { InvalidInput, Refusal } from '../../lib/errors.ts'
import type { Tx } from '../../platform/db/db.ts'
import { canBePaidOn } from './rules.ts'
import { findPayee, type Withdrawal } from './sql.ts'
import { createWithdrawal } from './withdrawals.ts'

/**
 * Payouts of money that reaches a user after closing, such as a refund. The user cannot sign in, so an operator orders
 * them.
 *
 * Invariants: the payee is an owner of the user, so an operator cannot send the money to anybody else. A payout takes
 * everything that the user may spend of the token.
 */
export type PayoutOrder = { readonly userId: string; readonly tokenAddress: string; readonly payee: string }

type Payable = {
  readonly account: LockedAccount
  readonly token: Token
  readonly amount: bigint
  readonly toAddress: string
}

/** Returns what an order would pay. Takes the account's lock. */
export async function lockPayable(
  { config }: Pick<Ctx, 'config'>,
  tx: Tx,
  { userId, tokenAddress, payee }: PayoutOrder,
): Promise<Payable> {
  const account = await lockAccount(tx, userId)
  if (account.status !== 'closed') throw new Refusal('USER_NOT_CLOSED')
  const token = findToken(config.tokens, readAddress(tokenAddress, 'The token'))
  if (!token) throw new InvalidInput(`${tokenAddress} is not a token of the programme.`)
  const toAddress = readAddress(payee, 'The payee')
  const owner = await findPayee(tx, userId, toAddress)
  if (owner === null) throw new InvalidInput(`${toAddress} is not an owner of user ${userId}.`)
  if (!canBePaidOn(token.chainId, owner.contractChainId))
    throw new InvalidInput(`${toAddress} is a contract on a different chain from ${token.symbol}.`)
  const amount = tokenSpendable(config.tokens, await readBalances(tx, userId), token)
  if (amount === 0n) throw new InvalidInput(`User ${userId} has no ${token.symbol} to pay out.`)
  return { account, token, amount, toAddress }
}

/** Orders a withdrawal of everything that a closed user may spend of a token. */
export async function orderPayout(ctx: Pick<Ctx, 'config' | 'clock'>, tx: Tx, order: PayoutOrder): Promise<Withdrawal> {
  const { account, ...payable } = await lockPayable(ctx, tx, order)
  return createWithdrawal(ctx, tx, account, payable)
}
