import { isTestAccount } from '../config/test-accounts.ts'
import type { Ctx } from '../context.ts'
import { InvalidInput, Refusal } from '../lib/errors.ts'
import { isId, newId } from '../lib/id.ts'
import type { OperatorRole } from '../lib/operator-permission.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { State } from './decision-signature.ts'
import { type ListedRows, type ListRequest, readList } from './pages.ts'
import { parseWallet } from './rules.ts'
import {
  deleteSessionsOf,
  findOperator,
  findOperatorsAfter,
  findPerson,
  insertOperator,
  insertPerson,
  lockOperator,
  markOperatorRemoved,
  type NewOperator,
  type Operator,
  updateOperatorRole,
} from './sql.ts'

/**
 * Operators: wallets that may sign in for the programme, and the people who hold them. Owns `operator` and
 * `operator_person`. Requests of operators run under the database role `operator`.
 *
 * Invariants:
 * - A wallet belongs to one person. A person may have several wallets.
 * - A removed operator keeps its row, and its sessions end at once in all processes.
 */
export type OperatorsCtx = Pick<Ctx, 'config' | 'db' | 'clock'>

export type { Operator }

/** Returns a page of the operators, the removed ones last. */
export function listOperators({ db }: Pick<OperatorsCtx, 'db'>, request: ListRequest): Promise<ListedRows<Operator>> {
  return readList(
    { parts: ['number', 'time', 'text'], from: 'oldest' },
    request,
    (beyond, limit) => findOperatorsAfter(db, beyond, limit),
    ({ removedAt, createdAt, address }) => [removedAt === null ? 0 : 1, createdAt, address],
  )
}

/** Returns the operator with this wallet, or null. In production, a wallet whose key is public is never an operator. */
export async function findActiveOperator(
  { config }: Pick<OperatorsCtx, 'config'>,
  db: Queryable,
  address: string,
): Promise<Operator | null> {
  if (!config.allowsTestOperators && isTestAccount(address)) return null
  const operator = await findOperator(db, address)
  return operator?.removedAt === null ? operator : null
}

/** Adds the test operator of a sandbox when it signs in for the first time. An operator may remove it for good. */
export async function addTestOperator(ctx: OperatorsCtx, address: string): Promise<void> {
  if (address !== ctx.config.testOperator) return
  await ctx.db.transaction(async (tx) => {
    if ((await findOperator(tx, address)) !== null) return
    const createdAt = ctx.clock.now()
    const personId = newId(createdAt)
    await insertPerson(tx, { personId, name: 'Test operator' }, createdAt)
    const added = { address, contractChainId: null, personId, role: 'admin', addedBy: 'sandbox', createdAt } as const
    await insertOperator(tx, added)
  })
}

type Addition = {
  /** An address, or `eip155:<chain id>:<address>` for a contract. */
  readonly wallet: string
  readonly role: OperatorRole
  /** The name of a new person, or the id of a known one. */
  readonly person: string
  /** The operator who adds the wallet. */
  readonly by: string
}

/** Adds a wallet of a new or known person. Production rejects wallets whose key is public. */
export async function addOperator(
  ctx: Pick<OperatorsCtx, 'config' | 'clock'>,
  tx: Tx,
  { wallet, role, person, by }: Addition,
): Promise<NewOperator> {
  const { address, contractChainId } = parseWallet(wallet)
  if (!ctx.config.allowsTestOperators && isTestAccount(address))
    throw new InvalidInput(`${address} is a test account of Anvil or Hardhat, whose key is public. Use another wallet.`)
  const createdAt = ctx.clock.now()
  const personId = isId(person) ? (await requirePerson(tx, person)).personId : newId(createdAt)
  if (!isId(person)) await insertPerson(tx, { personId, name: person }, createdAt)
  const added = { address, contractChainId, personId, role, addedBy: by, createdAt }
  if (!(await insertOperator(tx, added)))
    throw new InvalidInput(`${address} is already an operator. Use "operator change" to change its role.`)
  return added
}

async function requirePerson(tx: Tx, personId: string) {
  const person = await findPerson(tx, personId)
  if (person === null) throw new InvalidInput(`No person has the id ${personId}. See "operator list".`)
  return person
}

/** Gives an operator another role, and ends the sessions of the wallet. */
export async function changeOperatorRole(tx: Tx, wallet: string, role: OperatorRole): Promise<void> {
  const operator = await requireOperatorOf(tx, wallet)
  if (operator.role === role) throw new InvalidInput(`The operator already has the role ${role}.`)
  await updateOperatorRole(tx, operator.address, role)
  await deleteSessionsOf(tx, operator.address)
}

/** Removes an operator, and ends the sessions of the wallet. */
export async function removeOperator({ clock }: Pick<OperatorsCtx, 'clock'>, tx: Tx, wallet: string): Promise<void> {
  const { address } = await requireOperatorOf(tx, wallet)
  await markOperatorRemoved(tx, address, clock.now())
  await deleteSessionsOf(tx, address)
}

async function requireOperatorOf(tx: Tx, wallet: string): Promise<Operator> {
  const operator = await lockOperator(tx, parseWallet(wallet).address)
  if (operator?.removedAt !== null) throw new Refusal('OPERATOR_NOT_FOUND')
  return operator
}

/** Returns the state of a wallet that a decision about operators changes. */
export async function describeOperator(tx: Tx, wallet: string): Promise<State> {
  const operator = await lockOperator(tx, parseWallet(wallet).address)
  if (operator?.removedAt !== null) return { role: null, personId: null }
  return { role: operator.role, personId: operator.personId }
}
