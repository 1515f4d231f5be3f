import { findToken } from '../config/stablecoins.ts'
import type { Ctx } from '../context.ts'
import { listOperatorDecisions, type OperatorDecision } from '../events/operator-decisions.ts'
import { blockAccount, unblockAccount } from '../identity/users/blocking.ts'
import { InvalidInput } from '../lib/errors.ts'
import { timeOf } from '../lib/id.ts'
import { formatMajor, parseMajor } from '../lib/money.ts'
import type { BooksCtx } from '../money/deposits/deposits.ts'
import { declareArrival, listUnknownArrivals, type UnknownArrival } from '../money/watcher/declare-arrival.ts'
import {
  assignPayout,
  cancelPayout,
  listOpenPayouts,
  listUnassignedPayouts,
  type OpenPayout,
  resolveUnpaid,
  type UnassignedPayout,
} from '../money/withdrawals/resolve-unpaid.ts'
import { orderReturn } from '../money/withdrawals/returns.ts'
import { isUnpaidDecision, type UnpaidDecision } from '../money/withdrawals/rules.ts'

import type { KillSwitch } from '../switches/rules.ts'
import { readSwitches, type SwitchState, turnSwitch } from '../switches/switches.ts'

type OperatorCtx = BooksCtx & Pick<Ctx, 'db' | 'caches'>
/** Runs with the arguments that replace the words in angle brackets. Returns the text for the terminal. */
export type Command = (ctx: OperatorCtx, ...given: string[]) => Promise<string>

/** The commands about money, blocks and kill switches. Each decision is stored with its author and reason. */
export const moneyCommands = {
  async 'deposits return <id>'(ctx, depositId) {
    const note = { command: 'deposits return', subject: depositId, reason: 'refused by screening' }
    const payout = await orderReturn(ctx, depositId, note)
    return `${quantityOf(ctx, payout)} go back to ${payout.toAddress}: payout ${payout.withdrawalId} is ${payout.status}. See "payouts list".`
  },
  async 'payouts list'(ctx) {
    const open = (await listOpenPayouts(ctx)).map((payout) => describePayout(ctx, payout))
    const unassigned = (await listUnassignedPayouts(ctx)).map((payout) => describeUnassigned(ctx, payout))
    return [...open, ...unassigned].join('\n')
  },
  async 'payouts assign <id> <userId> <reason>'(ctx, id, userId, reason) {
    const note = { command: `payouts assign ${userId}`, subject: id, reason }
    const payout = await assignPayout(ctx, id, userId, note)
    return `${quantityOf(ctx, payout)} to ${payout.toAddress} were paid to user ${userId}. The balance is debited, and any shortfall is owed.`
  },
  async 'payouts cancel <id> <reason>'(ctx, id, reason) {
    const payout = await cancelPayout(ctx, id, { command: 'payouts cancel', subject: id, reason })
    const where =
      payout.depositId === null ? 'the user has the money back' : 'the deposit stays refused, and may be approved later'
    return `${quantityOf(ctx, payout)} to ${payout.toAddress} is canceled: ${where}.`
  },
  async 'payouts decide <id> <decision> <reason>'(ctx, id, decision, reason) {
    if (!isUnpaidDecision(decision))
      throw new InvalidInput(`"${decision}" is not a decision. Use paid, refund or again.`)
    const payout = await resolveUnpaid(ctx, id, decision, {
      command: `payouts decide ${decision}`,
      subject: id,
      reason,
    })
    return `Once the chain confirms again that ${payout.txHash} is final and paid nobody, ${consequence(payout, decision)}.`
  },
  'transfers list': async (ctx) =>
    (await listUnknownArrivals(ctx)).map((transfer) => describeUnknownArrival(ctx, transfer)).join('\n'),
  async 'transfers tell <transfer> <amount> <reason>'(ctx, name, amount, reason) {
    const note = { command: `transfers tell ${amount}`, subject: name, reason }
    const arrival = await declareArrival(ctx, name, (token) => parseQuantity(ctx, token, amount), note)
    const became = arrival.arrived === 0n ? 'no deposit was created' : 'the deposit goes on to screening'
    return `${quantityOf(ctx, { token: arrival.token, amount: arrival.arrived })} arrived: ${became}.`
  },
  async 'user block <userId> <reason>'(ctx, userId, reason) {
    const status = await blockAccount(ctx, userId, { command: 'user block', subject: userId, reason })
    return `The account of ${userId} is ${status}.`
  },
  async 'user unblock <userId> <reason>'(ctx, userId, reason) {
    const status = await unblockAccount(ctx, userId, { command: 'user unblock', subject: userId, reason })
    return `The account of ${userId} is ${status}.`
  },
  'switch list': async (ctx) => (await readSwitches(ctx, ctx.db)).map(describeSwitch).join('\n'),
  'switch payouts <state> <reason>': (ctx, state, reason) => turn(ctx, 'payouts', state, reason),
  'switch card-approvals <state> <reason>': (ctx, state, reason) => turn(ctx, 'card-approvals', state, reason),
  'decisions list': async (ctx) => (await listOperatorDecisions(ctx)).map(describeDecision).join('\n'),
} satisfies Readonly<Record<string, Command>>

async function turn(ctx: OperatorCtx, name: KillSwitch, state: string, reason: string): Promise<string> {
  if (state !== 'on' && state !== 'off') throw new InvalidInput(`"${state}" is not a state. Use on or off.`)
  const note = { command: `switch ${name} ${state}`, subject: name, reason }
  const isChanged = await turnSwitch(ctx, name, { isOn: state === 'on' }, note)
  return isChanged ? `The switch ${name} is ${state}.` : `The switch ${name} is already ${state}.`
}

function describeSwitch({ name, isOn, changedAt }: SwitchState): string {
  const since = changedAt === null ? '' : ` since ${changedAt.toISOString()}`
  return `${name} is ${isOn ? 'on' : 'off'}${since}`
}

function quantityOf(ctx: OperatorCtx, { token: address, amount }: { token: string; amount: bigint }): string {
  const token = findToken(ctx.config.tokens, address)
  return token ? `${formatMajor(amount, token.decimals)} ${token.symbol}` : `${amount} units of ${address}`
}

function parseQuantity(ctx: OperatorCtx, address: string, text: string): bigint {
  const token = findToken(ctx.config.tokens, address)
  const amount = token ? parseMajor(text, token.decimals) : null
  if (amount === null)
    throw new InvalidInput(`"${text}" is not an amount. Use a number of whole tokens, such as 0 or 12.5.`)
  return amount
}

function consequence({ depositId }: OpenPayout | Omit<OpenPayout, 'userId'>, decision: UnpaidDecision): string {
  switch (decision) {
    case 'paid':
      return depositId === null ? 'the withdrawal is completed' : 'the deposit is returned'
    case 'refund':
      return depositId === null
        ? 'the user gets the money back'
        : 'the deposit stays refused, and can be returned again'
    case 'again':
      return 'it is signed and sent once more, with a new nonce'
  }
}

function describePayout(ctx: OperatorCtx, payout: OpenPayout): string {
  const { createdAt, withdrawalId, depositId, userId, toAddress, chainId, status, txHash, payoutNonce, unpaid } = payout
  const kind = depositId === null ? 'withdrawal' : `return of deposit ${depositId}`
  const sent = txHash === null ? '' : `, nonce ${payoutNonce}, ${txHash}`
  const decision = {
    open: ': FINAL AND PAID NOBODY, see "payouts decide"',
    paid: ': decided as paid',
    refund: ': decided as a refund',
    again: ': decided to be paid again',
  }
  const open = unpaid === null ? '' : decision[unpaid]
  return `${createdAt.toISOString()}  ${withdrawalId}  ${kind} of user ${userId}: ${quantityOf(ctx, payout)} to ${toAddress} on chain ${chainId}, ${status}${sent}${open}`
}

function describeUnassigned(ctx: OperatorCtx, payout: UnassignedPayout): string {
  const { withdrawalId, chainId, toAddress, nonce, txHash } = payout
  const what = `${quantityOf(ctx, payout)} to ${toAddress} on chain ${chainId}, nonce ${nonce}, ${txHash}`
  return `${timeOf(withdrawalId).toISOString()}  ${withdrawalId}  ${what}: PAID FOR NO KNOWN USER, see "payouts assign"`
}

function describeUnknownArrival(ctx: OperatorCtx, transfer: UnknownArrival): string {
  const { name, userId, token, claimed, fromAddress, toAddress, blockNumber } = transfer
  const claims = `claims ${quantityOf(ctx, { token, amount: claimed })}`
  return `${name}  user ${userId}  ${claims}, from ${fromAddress} to ${toAddress}, block ${blockNumber}`
}

function describeDecision({ decidedAt, decidedBy, command, subject, reason }: OperatorDecision): string {
  return `${decidedAt.toISOString()}  ${decidedBy}  ${command}  ${subject}  ${reason}`
}
