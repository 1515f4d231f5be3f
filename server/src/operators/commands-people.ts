import { findReview, finishReview } from '../cards/transactions/reviews.ts'
import { eraseUser } from '../closing/closing.ts'
import type { OperatorCommand } from '../config/operators.ts'
import { blockAccount, unblockAccount } from '../identity/users/blocking.ts'
import { lockAccount, lockUser } from '../identity/users/users.ts'
import { readBalances } from '../ledger/ledger.ts'
import { balanceOf, tokenSpendable } from '../ledger/rules.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import { max } from '../lib/money.ts'
import { type OperatorRole, operatorRoles } from '../lib/operator-permission.ts'
import { approvePartner, grantDetails, suspendPartner } from '../partners/approval.ts'
import { lockPartner, type Partner } from '../partners/partners.ts'
import type { Tx } from '../platform/db/db.ts'
import { lockEndpoint, maxDeliveriesPerResend, resendDeadLetters } from '../webhooks/read-deliveries.ts'
import { type Command, type CommandCtx, type CommandTarget, changed, requireId } from './command.ts'
import { quantityOf } from './commands-money.ts'
import type { State } from './decision-signature.ts'
import { addOperator, changeOperatorRole, describeOperator, removeOperator } from './operators.ts'
import { printable } from './rules.ts'

/** The commands about users, reviews, webhooks, partners and operators. */
type PeopleCommand = Extract<
  OperatorCommand,
  `user ${string}` | `reviews ${string}` | `webhooks ${string}` | `partner ${string}` | `operator ${string}`
>

const rolePattern = new RegExp(`^(${operatorRoles.join('|')})$`)
const role = { pattern: rolePattern, requirement: `one of ${operatorRoles.join(', ')}` }

export const peopleCommands = {
  'user block': {
    permission: 'users:block',
    arguments: {},
    describeState: describeUser,
    async execute(ctx, _tx, { subject }) {
      return changed(`The account of ${subject} is ${await blockAccount(ctx, subject)}.`)
    },
  },
  'user unblock': {
    permission: 'users:unblock',
    arguments: {},
    describeState: describeUser,
    async execute(ctx, _tx, { subject }) {
      return changed(`The account of ${subject} is ${await unblockAccount(ctx, subject)}.`)
    },
  },
  'user erase': {
    permission: 'users:erase',
    arguments: {},
    describeState: describeErasure,
    async execute(ctx, _tx, { subject }) {
      const isChanged = await eraseUser(ctx, subject)
      return { text: `${subject} is ${isChanged ? '' : 'already '}erased.`, isChanged }
    },
  },
  'reviews done': {
    permission: 'reviews:write',
    arguments: {},
    async describeState(_ctx, tx, { subject }) {
      const userId = await findReview(tx, subject)
      if (userId === null) throw new Refusal('REVIEW_NOT_FOUND')
      await lockAccount(tx, userId)
      return { userId, review: (await findReview(tx, subject)) === null ? 'done' : 'open' }
    },
    async execute(ctx, _tx, { subject }, by) {
      const isDone = await finishReview(ctx, subject, by)
      if (!isDone) throw new InvalidInput(`There is no open review of ${subject}. List them with "reviews list".`)
      return changed(`The review of ${subject} is closed.`)
    },
  },
  'webhooks resend': {
    permission: 'webhooks:resend',
    arguments: {},
    async describeState(_ctx, tx, { subject }) {
      const { partnerId, status, url } = await lockEndpoint(tx, requireId(subject, 'an endpoint id'))
      return { partnerId, status, url }
    },
    async execute(ctx, tx, { subject }) {
      const deliveries = await resendDeadLetters(ctx, tx, requireId(subject, 'an endpoint id'))
      const rest = deliveries < maxDeliveriesPerResend ? '' : ' Repeat the command for the rest of the dead letters.'
      return { text: `Deliveries of ${subject} that are due again: ${deliveries}.${rest}`, isChanged: deliveries > 0 }
    },
  },
  'partner approve': {
    permission: 'partners:write',
    arguments: {},
    describeState: describeNamedPartner,
    execute: async (ctx, _tx, { subject }) => changed(describePartner(await approvePartner(ctx, subject))),
  },
  'partner suspend': {
    permission: 'partners:write',
    arguments: {},
    describeState: describePartnerState,
    execute: async (ctx, _tx, { subject }) => changed(describePartner(await suspendPartner(ctx, subject))),
  },
  'partner details': {
    permission: 'partners:write',
    arguments: { details: { pattern: /^(on|off)$/, requirement: 'on or off' } },
    describeState: describePartnerState,
    async execute(ctx, _tx, { subject, arguments: { details } }) {
      const isChanged = await grantDetails(ctx, subject, isGranted(details))
      if (!isChanged) return { text: `Access to the details of users is already ${details} for ${subject}.`, isChanged }
      return changed(
        `Partner ${subject} ${isGranted(details) ? 'may' : 'may no longer'} read the details of its users.`,
      )
    },
  },
  'operator add': {
    permission: 'operators:write',
    arguments: {
      role,
      person: { pattern: /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u, requirement: 'a name, or the id of a known person' },
    },
    describeState: (_ctx, tx, { subject }) => describeOperator(tx, subject),
    async execute(ctx, tx, { subject, arguments: { role = '', person = '' } }, by) {
      const added = await addOperator(ctx, tx, { wallet: subject, role: roleOf(role), person, by })
      return changed(
        `${added.address} is an operator with the role ${added.role}. It belongs to the person ${added.personId}.`,
      )
    },
  },
  'operator change': {
    permission: 'operators:write',
    arguments: { role },
    describeState: (_ctx, tx, { subject }) => describeOperator(tx, subject),
    async execute(_ctx, tx, { subject, arguments: { role = '' } }) {
      await changeOperatorRole(tx, subject, roleOf(role))
      return changed(`${subject} has the role ${role}. Its sessions have ended.`)
    },
  },
  'operator remove': {
    permission: 'operators:write',
    arguments: {},
    describeState: (_ctx, tx, { subject }) => describeOperator(tx, subject),
    async execute(ctx, tx, { subject }) {
      await removeOperator(ctx, tx, subject)
      return changed(`${subject} is no longer an operator. Its sessions have ended.`)
    },
  },
} satisfies Record<PeopleCommand, Command>

function roleOf(text: string): OperatorRole {
  const found = operatorRoles.find((known) => known === text)
  if (found === undefined) throw new InvalidInput(`"${text}" is not a role. Use ${operatorRoles.join(', ')}.`)
  return found
}

function isGranted(details: string | undefined): boolean {
  if (details === 'on' || details === 'off') return details === 'on'
  throw new InvalidInput(`"${details}" is not a state. Use on or off.`)
}

async function describeUser(_ctx: CommandCtx, tx: Tx, { subject }: CommandTarget): Promise<State> {
  const { status, erasedAt, account } = await lockUser(tx, requireId(subject, 'a user id'))
  return { user: erasedAt === null ? status : 'erased', account: account?.status ?? null }
}

/** Includes the money that no payout can reach after the erasure, even deposits that screening has not approved. */
async function describeErasure(ctx: CommandCtx, tx: Tx, target: CommandTarget): Promise<State> {
  const user = await describeUser(ctx, tx, target)
  const balances = await readBalances(tx, target.subject)
  const left = ctx.config.tokens.flatMap((token) => {
    const { held, debt, deposit_processing: processing, frozen } = balanceOf(balances, token.address)
    const amount = tokenSpendable(ctx.config.tokens, balances, token) + max(0n, held + debt) + processing + frozen
    return amount === 0n ? [] : [quantityOf(ctx, { token: token.address, amount })]
  })
  return { ...user, left: left.join(', ') || null }
}

/**
 * Leaves out everything that the partner can change. With such a change, the partner could otherwise cause every
 * proposal of its suspension to lapse.
 */
async function describePartnerState(_ctx: CommandCtx, tx: Tx, target: CommandTarget): Promise<State> {
  return stateOf(await requirePartner(tx, target))
}

/** Includes the name, under which operators approve the partner. */
async function describeNamedPartner(_ctx: CommandCtx, tx: Tx, target: CommandTarget): Promise<State> {
  const partner = await requirePartner(tx, target)
  return { name: partner.name, ...stateOf(partner) }
}

function stateOf({ status, readsDetails }: Partner): State {
  return { status, details: readsDetails ? 'on' : 'off' }
}

async function requirePartner(tx: Tx, { subject }: CommandTarget): Promise<Partner> {
  const partner = await lockPartner(tx, requireId(subject, 'a partner id'))
  if (partner === null) throw new Refusal('PARTNER_NOT_FOUND')
  return partner
}

export function describePartner({ partnerId, name, status, createdAt }: Partner): string {
  return `${createdAt.toISOString()}  ${partnerId}  ${status}  ${printable(name)}`
}
