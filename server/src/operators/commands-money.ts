import type { OperatorCommand } from '../config/operators.ts'
import { findToken } from '../config/stablecoins.ts'
import type { Ctx } from '../context.ts'
import { lockAccount } from '../identity/users/users.ts'
import { InvalidInput } from '../lib/errors.ts'
import { formatMajor, parseMajor } from '../lib/money.ts'
import { lockDeposit } from '../money/deposits/lock-deposit.ts'
import { declareArrival, lockUnknownArrival } from '../money/watcher/declare-arrival.ts'
import { lockPayable, orderPayout, type PayoutOrder } from '../money/withdrawals/order-payout.ts'
import {
  assignPayout,
  cancelPayout,
  listUnassignedPayouts,
  resolveUnpaid,
} from '../money/withdrawals/resolve-unpaid.ts'
import { orderReturn } from '../money/withdrawals/returns.ts'
import { isUnpaidDecision, type UnpaidDecision } from '../money/withdrawals/rules.ts'
import { findWithdrawalById, requireWithdrawal } from '../money/withdrawals/withdrawals.ts'
import type { Tx } from '../platform/db/db.ts'
import { type Command, type CommandCtx, type CommandTarget, changed, requireId } from './command.ts'
import type { State } from './decision-signature.ts'

/** The commands about money. Their states have the amount, on which the number of signatures may depend. */
type MoneyCommand = Extract<OperatorCommand, `payouts ${string}` | `deposits ${string}` | `transfers ${string}`>

const addressPattern = /^0x[0-9a-fA-F]{40}$/

export const moneyCommands = {
  'deposits return': {
    permission: 'payouts:write',
    arguments: {},
    async describeState(_ctx, tx, { subject }) {
      const deposit = await lockDeposit(tx, subject)
      const { token, amount, status, chainState, screening, returnState, fromAddress } = deposit
      const facts = { token, amount: String(amount), status, chainState, screening, payee: fromAddress }
      return { ...facts, returnState }
    },
    async execute(ctx, _tx, { subject }) {
      const { isNew, ...payout } = await orderReturn(ctx, subject)
      const text = `${quantityOf(ctx, payout)} go back to ${payout.toAddress}: payout ${payout.withdrawalId} is ${payout.status}. See "payouts list".`
      return { text, isChanged: isNew }
    },
  },
  'transfers tell': {
    permission: 'payouts:write',
    arguments: { amount: { pattern: /^[0-9.]{1,80}$/, requirement: 'a quantity of tokens, such as 0 or 12.5' } },
    async describeState(_ctx, tx, { subject }) {
      const { token, claimed, userId, blockHash } = await lockUnknownArrival(tx, subject)
      return { token, amount: String(claimed), userId, blockHash }
    },
    async execute(ctx, _tx, { subject, arguments: { amount = '' } }) {
      const arrival = await declareArrival(ctx, subject, (token) => parseQuantity(ctx, token, amount))
      const became = arrival.arrived === 0n ? 'nothing is credited' : 'the deposit goes on to screening'
      return changed(`${quantityOf(ctx, { token: arrival.token, amount: arrival.arrived })} arrived: ${became}.`)
    },
  },
  'payouts order': {
    permission: 'payouts:write',
    arguments: {
      token: { pattern: addressPattern, requirement: 'the address of a token' },
      payee: { pattern: addressPattern, requirement: 'the wallet of an owner of the user' },
    },
    async describeState(ctx, tx, target) {
      const { account, token, amount, toAddress } = await lockPayable(ctx, tx, orderOf(target))
      return { token: token.address, amount: String(amount), payee: toAddress, account: account.status }
    },
    async execute(ctx, tx, target) {
      const payout = await orderPayout(ctx, tx, orderOf(target))
      return changed(
        `${quantityOf(ctx, payout)} go to ${payout.toAddress}: payout ${payout.withdrawalId} is pending. See "payouts list".`,
      )
    },
  },
  'payouts decide': {
    permission: 'payouts:write',
    arguments: { decision: { pattern: /^(paid|refund|again)$/, requirement: 'paid, refund or again' } },
    describeState: describePayout,
    async execute(ctx, _tx, { subject, arguments: { decision = '' } }) {
      if (!isUnpaidDecision(decision))
        throw new InvalidInput(`"${decision}" is not a decision. Use paid, refund or again.`)
      const payout = await resolveUnpaid(ctx, subject, decision)
      return changed(
        `Once the chain confirms again that ${payout.txHash} is final and paid nobody, ${consequence(payout, decision)}.`,
      )
    },
  },
  'payouts cancel': {
    permission: 'payouts:write',
    arguments: {},
    describeState: describePayout,
    async execute(ctx, _tx, { subject }) {
      const payout = await cancelPayout(ctx, subject)
      const where =
        payout.depositId === null
          ? 'the user has the money back'
          : 'the deposit stays rejected, and may be approved later'
      return changed(`${quantityOf(ctx, payout)} to ${payout.toAddress} is canceled: ${where}.`)
    },
  },
  'payouts assign': {
    permission: 'payouts:write',
    arguments: { userId: { pattern: /^[0-9a-fA-F-]{36}$/, requirement: 'the id of a user' } },
    async describeState(ctx, tx, { subject, arguments: { userId = '' } }) {
      const account = await lockAccount(tx, requireId(userId, 'a user id'))
      const payout = (await listUnassignedPayouts(ctx)).find(({ withdrawalId }) => withdrawalId === subject)
      if (!payout) throw new InvalidInput(`${subject} is not an unassigned payout. See "payouts list".`)
      const { token, amount, toAddress, txHash } = payout
      return { token, amount: String(amount), payee: toAddress, txHash, account: account.status }
    },
    async execute(ctx, _tx, { subject, arguments: { userId = '' } }) {
      const payout = await assignPayout(ctx, subject, userId)
      return changed(
        `The payout of ${quantityOf(ctx, payout)} to ${payout.toAddress} is assigned to user ${userId}. The balance is debited, and any shortfall is owed.`,
      )
    },
  },
} satisfies Record<MoneyCommand, Command>

function orderOf({ subject, arguments: { token = '', payee = '' } }: CommandTarget): PayoutOrder {
  return { userId: requireId(subject, 'a user id'), tokenAddress: token, payee }
}

async function describePayout(ctx: CommandCtx, tx: Tx, { subject }: CommandTarget): Promise<State> {
  const { userId } = await findWithdrawalById(ctx, subject)
  await lockAccount(tx, userId)
  const { token, amount, toAddress, status, unpaid, txHash } = await requireWithdrawal(tx, {
    userId,
    withdrawalId: subject,
  })
  return { token, amount: String(amount), payee: toAddress, status, unpaid, txHash, userId }
}

function consequence({ depositId }: { readonly depositId: string | null }, decision: UnpaidDecision): string {
  switch (decision) {
    case 'paid':
      return depositId === null ? 'the withdrawal is completed' : 'the deposit is returned'
    case 'refund':
      return depositId === null
        ? 'the user gets the money back'
        : 'the deposit stays rejected, and can be returned again'
    case 'again':
      return 'the payout is signed and sent once more, with a new nonce'
  }
}

export function quantityOf(
  { config }: Pick<Ctx, 'config'>,
  { token: address, amount }: { token: string; amount: bigint },
): string {
  const token = findToken(config.tokens, address)
  return token ? `${formatMajor(amount, token.decimals)} ${token.symbol}` : `${amount} units of ${address}`
}

function parseQuantity({ config }: Pick<Ctx, 'config'>, address: string, text: string): bigint {
  const token = findToken(config.tokens, address)
  const amount = token ? parseMajor(text, token.decimals) : null
  if (amount === null)
    throw new InvalidInput(`"${text}" is not an amount. Use a quantity of tokens, such as 0 or 12.5.`)
  return amount
}
