import type { OperatorCommand } from '../config/operators.ts'
import { listOperatorDecisions, type OperatorDecision } from '../events/operator-decisions.ts'
import { InvalidInput } from '../lib/errors.ts'
import { timeOf } from '../lib/id.ts'
import { listUnknownArrivals, type UnknownArrival } from '../money/watcher/declare-arrival.ts'
import {
  listOpenPayouts,
  listUnassignedPayouts,
  type OpenPayout,
  type UnassignedPayout,
} from '../money/withdrawals/resolve-unpaid.ts'
import { breakGlass } from '../operators/break-glass.ts'
import type { CommandCtx } from '../operators/command.ts'
import { quantityOf } from '../operators/commands-money.ts'
import { printable } from '../operators/rules.ts'
import type { KillSwitch } from '../switches/rules.ts'
import { readSwitches, type SwitchState } from '../switches/switches.ts'

/** Runs with the arguments that replace the words in brackets. Returns the text for the terminal. */
export type ShellCommand = (ctx: CommandCtx, ...given: string[]) => Promise<string>

/** The commands about money, blocks and kill switches. */
export const moneyShellCommands = {
  'deposits return <id> <reason>': (ctx, depositId, reason) => decide(ctx, 'deposits return', depositId, reason),
  async 'payouts list'(ctx) {
    const open = (await listOpenPayouts(ctx)).map((payout) => describePayout(ctx, payout))
    const unassigned = (await listUnassignedPayouts(ctx)).map((payout) => describeUnassigned(ctx, payout))
    return [...open, ...unassigned].join('\n')
  },
  'payouts order <userId> <token> <payee> <reason>': (ctx, userId, token, payee, reason) =>
    decide(ctx, 'payouts order', userId, reason, { token, payee }),
  'payouts assign <id> <userId> <reason>': (ctx, id, userId, reason) =>
    decide(ctx, 'payouts assign', id, reason, { userId }),
  'payouts cancel <id> <reason>': (ctx, id, reason) => decide(ctx, 'payouts cancel', id, reason),
  'payouts decide <id> <decision> <reason>': (ctx, id, decision, reason) =>
    decide(ctx, 'payouts decide', id, reason, { decision }),
  'transfers list': async (ctx) =>
    (await listUnknownArrivals(ctx)).map((transfer) => describeUnknownArrival(ctx, transfer)).join('\n'),
  'transfers tell <transfer> <amount> <reason>': (ctx, name, amount, reason) =>
    decide(ctx, 'transfers tell', name, reason, { amount }),
  'user block <userId> <reason>': (ctx, userId, reason) => decide(ctx, 'user block', userId, reason),
  'user unblock <userId> <reason>': (ctx, userId, reason) => decide(ctx, 'user unblock', userId, reason),
  'switch list': async (ctx) => (await readSwitches(ctx, ctx.db)).map(describeSwitch).join('\n'),
  'switch payouts <state> <reason>': (ctx, state, reason) => turn(ctx, 'payouts', state, reason),
  'switch card-approvals <state> <reason>': (ctx, state, reason) => turn(ctx, 'card-approvals', state, reason),
  'decisions list': async (ctx) => (await listOperatorDecisions(ctx)).map(describeDecision).join('\n'),
} satisfies Readonly<Record<string, ShellCommand>>

/** Executes a command. */
export function decide(
  ctx: CommandCtx,
  name: OperatorCommand,
  subject: string,
  reason: string,
  given: Readonly<Record<string, string>> = {},
): Promise<string> {
  return breakGlass(ctx, name, { subject, arguments: given }, reason)
}

async function turn(ctx: CommandCtx, name: KillSwitch, state: string, reason: string): Promise<string> {
  if (state !== 'on' && state !== 'off') throw new InvalidInput(`"${state}" is not a state. Use on or off.`)
  return decide(ctx, `switch ${name} ${state}`, name, reason)
}

function describeSwitch({ name, isOn, changedAt }: SwitchState): string {
  const since = changedAt === null ? '' : ` since ${changedAt.toISOString()}`
  return `${name} is ${isOn ? 'on' : 'off'}${since}`
}

function describePayout(ctx: CommandCtx, payout: OpenPayout): string {
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

function describeUnassigned(ctx: CommandCtx, payout: UnassignedPayout): string {
  const { withdrawalId, chainId, toAddress, nonce, txHash } = payout
  const what = `${quantityOf(ctx, payout)} to ${toAddress} on chain ${chainId}, nonce ${nonce}, ${txHash}`
  return `${timeOf(withdrawalId).toISOString()}  ${withdrawalId}  ${what}: PAID FOR NO KNOWN USER, see "payouts assign"`
}

function describeUnknownArrival(ctx: CommandCtx, transfer: UnknownArrival): string {
  const { name, userId, token, claimed, fromAddress, toAddress, blockNumber } = transfer
  const claims = `claims ${quantityOf(ctx, { token, amount: claimed })}`
  return `${name}  user ${userId}  ${claims}, from ${fromAddress} to ${toAddress}, block ${blockNumber}`
}

function describeDecision(decision: OperatorDecision): string {
  const { decidedAt, decidedBy, approvedBy, command, subject, reason, isBreakGlass } = decision
  const by = approvedBy === null ? decidedBy : `${decidedBy} and ${approvedBy}`
  return `${decidedAt.toISOString()}  ${by}  ${command}  ${subject}  ${printable(reason)}  ${isBreakGlass ? '(break-glass)' : '(signed)'}`
}
