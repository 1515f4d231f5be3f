import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { recoverTypedDataAddress } from 'viem/utils'
import { beforeAll, expect, test } from 'vitest'
import { type OperatorRole, operatorRoles } from '../../src/lib/operator-permission.ts'
import { checkLogs } from '../../src/money/reconcile/check-logs.ts'
import {
  type Change,
  newOperator,
  propose,
  signDecision,
  signed,
  signInOperator,
  type TestOperator,
  twoPeople,
} from '../support/console.ts'
import { seed, timeout, times } from '../support/run/seed.ts'
import { newWallet } from '../support/service.ts'
import { type Person, useWorld } from '../support/world.ts'

/**
 * One person may cancel a payout of at most 100.00 EUR. The limit is in token units, and the policy in minor units. All
 * other policies are those of production.
 */
const limit = 100n * 10n ** 18n
const policies = { ...JSON.parse(twoPeople.OPERATOR_POLICIES), 'payouts cancel': { EUR: '10000' } }
const { service, world } = useWorld({ env: { OPERATOR_POLICIES: JSON.stringify(policies) }, worker: false })

/** Ada and Bob have two wallets each. The other two operators have one each, with the roles money and support. */
let operators: TestOperator[] = []
let users: Person[] = []
/** The withdrawals that operators may cancel. */
const payouts: string[] = []
/** The withdrawals that became due while their users were blocked. Their money returns without a decision. */
const returned = new Set<string>()
beforeAll(async () => {
  const [ada, bob] = [await newOperator(service, 'admin'), await newOperator(service, 'admin')]
  operators = [
    ...[ada, await newOperator(service, 'money', { personId: ada.personId })],
    ...[bob, await newOperator(service, 'admin', { personId: bob.personId })],
    ...[await newOperator(service, 'money'), await newOperator(service, 'support')],
  ]
  users = Object.values(await world({ eur: 1_000_000 }, 'one', 'two'))
})

type Sent = { by: number; body: any }
const requests: Sent[] = []
const proposals: any[] = []

const index = fc.nat({ max: 5 })
const command = fc.constantFrom('user block', 'user unblock', 'payouts cancel')
const user = fc.nat({ max: 1 })
const spoil = fc.constantFrom('reason', 'subject', 'stateHash', 'expires', 'signer', 'replay')
const units = fc.constantFrom(1n, limit - 1n, limit, limit + 1n, 5n * limit)
/** A session ends after 15 minutes without requests, and a signature or a proposal after a day. */
const seconds = fc.constantFrom(600, 20 * 60, 25 * 3600)
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), user, units }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('outdated' as const), by: index, command, user }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('propose' as const), by: index, command, user }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cheat' as const), by: index, command, user, spoil }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('late' as const), by: index, other: index, command, user }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('approve' as const), by: index, at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('race' as const), by: index, other: index, at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forge' as const), by: index, at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reject' as const), by: index, at: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('role' as const), by: index, role: fc.constantFrom(...operatorRoles) }),
  },
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

function operatorAt(i: number): TestOperator {
  const operator = operators[i]
  if (operator === undefined) throw new Error('there is no such operator')
  return operator
}

function userAt(i: number): Person {
  const user = users[i]
  if (user === undefined) throw new Error('there is no such user')
  return user
}

/** Returns the change of a user, or of one of the withdrawals. */
const changeOf = (command: string, i: number): Change => ({
  command,
  subject: command === 'payouts cancel' ? (payouts.at(-1 - i) ?? randomUUID()) : userAt(i).userId,
})

/**
 * Moves the clock. Withdrawals that are due are paid, or returned if their users are blocked. Operators whose sessions
 * have ended sign in again.
 */
async function wait(time: number): Promise<void> {
  const stopped = await service.ctx.db.query<{ id: string }>(
    `-- by a test
     select withdrawal_id as id from withdrawal join account using (user_id)
     where withdrawal.status = 'pending' and account.status = 'blocked'`,
  )
  for (const { id } of stopped) returned.add(id)
  await service.advance(time)
  for (const operator of operators)
    if ((await operator.ask('GET', '/me')).status === 401)
      operator.token = await signInOperator(service, operator.wallet)
}

/** Sends a request, and remembers its proposal. */
async function send(by: number, body: object) {
  const reply = await operatorAt(by).ask('POST', '/proposals', body)
  expect(reply.status, reply.text).toBeLessThan(500)
  if (reply.status === 201) proposals.push(reply.body)
  return reply
}

/** Prepares and signs a decision. Returns null if the role or the state already forbids the preparation. */
const trySign = (by: number, change: Change) => signed(operatorAt(by), change).catch(() => null)

async function approveAs(by: number, at: number, forged = false) {
  const proposal = proposals[at % proposals.length]
  if (proposal === undefined) return
  const wallet = forged ? newWallet() : operatorAt(by).wallet
  const signature = await signDecision(wallet, proposal.typedData)
  const reply = await operatorAt(by).ask('POST', `/proposals/${proposal.proposalId}/approve`, { signature })
  expect(reply.status, reply.text).toBeLessThan(500)
  if (forged) expect(reply.status).toBeGreaterThanOrEqual(400)
}

let count = 0
async function act(given: Action): Promise<void> {
  const reason = `reason ${++count}`
  switch (given.kind) {
    case 'propose': {
      const body = await trySign(given.by, { ...changeOf(given.command, given.user), reason })
      if (body === null) return
      requests.push({ by: given.by, body })
      await send(given.by, body)
      return
    }
    case 'withdraw': {
      const reply = await userAt(given.user).withdraw(given.units)
      expect(reply.status, reply.text).toBeLessThan(500)
      if (reply.status === 201) payouts.push(reply.body.withdrawalId)
      return
    }
    case 'wait':
      return wait(given.seconds)
    case 'outdated': {
      const body = await trySign(given.by, { ...changeOf(given.command, given.user), reason })
      if (body === null) return
      await wait(25 * 3600)
      expect((await send(given.by, body)).status).toBeGreaterThanOrEqual(400)
      return
    }
    case 'cheat':
      return cheat(given, reason)
    case 'late': {
      const body = await trySign(given.by, { ...changeOf(given.command, given.user), reason })
      await propose(operatorAt(given.other), {
        ...changeOf('user block', given.user),
        reason: `${reason} first`,
      }).catch(() => null)
      if (body !== null) await send(given.by, body)
      return
    }
    case 'approve':
      return approveAs(given.by, given.at)
    case 'race':
      await Promise.all([approveAs(given.by, given.at), approveAs(given.other, given.at)])
      return
    case 'forge':
      return approveAs(given.by, given.at, true)
    case 'reject': {
      const proposal = proposals[given.at % proposals.length]
      if (proposal !== undefined)
        await operatorAt(given.by).ask('POST', `/proposals/${proposal.proposalId}/reject`, { reason })
      return
    }
    case 'role':
      return changeRoleOf(given.by, given.role)
  }
}

async function cheat({ by, command, user, spoil }: Extract<Action, { kind: 'cheat' }>, reason: string): Promise<void> {
  if (spoil === 'replay') {
    const earlier = requests[count % Math.max(1, requests.length)]
    if (earlier !== undefined) await send(by, earlier.body)
    return
  }
  const body = await trySign(by, { ...changeOf(command, user), reason })
  if (body === null) return
  const { signed: right } = body
  const wrong = {
    reason: { ...body, reason: `${reason}!` },
    subject: { ...body, subject: userAt(1 - user).userId },
    stateHash: { ...body, signed: { ...right, stateHash: `0x${'0'.repeat(64)}` } },
    expires: { ...body, signed: { ...right, expires: right.expires - 60 } },
    signer: { ...body, signed: { ...right, signature: `0x${'1'.repeat(130)}` } },
  }
  expect((await send(by, wrong[spoil])).status).toBeGreaterThanOrEqual(400)
}

/** Changes a role in the database, which ends no session: the check of the next request must notice the change. */
async function changeRoleOf(by: number, role: OperatorRole): Promise<void> {
  const { wallet } = operatorAt(by)
  // The first wallet of Bob stays an admin, so that something can always happen.
  if (by === 2) return
  await service.ctx.db.query('update operator set role = $2 where address = $1', [wallet.address, role])
}

type Row = { command: string; subject: string; reason: string; proof: any; decisionId: string; decidedAt: Date }

function peopleFor(command: string, state: Record<string, string>): number {
  switch (command) {
    case 'user block':
      return 1
    case 'user unblock':
      return 2
    case 'payouts cancel':
      return BigInt(state['amount'] ?? 0) > limit ? 2 : 1
    default:
      throw new Error(`${command} was never proposed`)
  }
}

/**
 * A withdrawal has failed if and only if one decision canceled it or it was returned, and the user has that money back.
 */
async function assertPayouts(rows: readonly Row[]): Promise<void> {
  const canceled = rows.filter(({ command }) => command === 'payouts cancel').map(({ subject }) => subject)
  const stored = await service.ctx.db.query<{ id: string; status: string; amount: bigint }>(
    '-- by a test\nselect withdrawal_id as id, status, amount from withdrawal',
  )
  const failed = stored.filter(({ status }) => status === 'failed').map(({ id }) => id)
  expect(failed.sort()).toEqual([...canceled, ...returned].sort())
  const spent = stored.filter(({ status }) => status !== 'failed').reduce((sum, { amount }) => sum + amount, 0n)
  const [left] = await service.ctx.db.query<{ sum: bigint }>(
    '-- by a test\nselect sum(available) as sum from ledger_balance',
  )
  expect(left?.sum).toBe(2_000_000n * 10n ** 18n - spent)
  for (const user of users) await user.assertBooks()
}

/** Checks every decision with only its row, its proposal and viem, and not with code of the service. */
async function assertDecisions(): Promise<void> {
  const rows = await service.ctx.db.query<Row>(
    `select command, subject, reason, proof::json as proof, decision_id as "decisionId",
       decided_at as "decidedAt" from operator_decision order by seq`,
  )
  const people = new Map(operators.map(({ wallet, personId }) => [wallet.address as string, personId]))
  for (const { command, subject, reason, proof, decisionId, decidedAt } of rows) {
    const made = await service.ctx.db.query<any>(
      'select proposal_id as id, state, status, needed from operator_proposal where decision_id = $1',
      [decisionId],
    )
    expect(made).toHaveLength(1)
    expect(made[0]).toMatchObject({ status: 'executed', state: proof.state })
    const signers: any[] = proof.signers
    expect(signers, command).toHaveLength(peopleFor(command, proof.state))
    expect(new Set(signers.map(({ address }) => people.get(address))).size).toBe(signers.length)
    const proposal = await operatorAt(2).ask('GET', `/proposals/${made[0].id}`)
    const { typedData } = proposal.body
    expect(typedData.message).toMatchObject({ command, subject, stateHash: proof.stateHash })
    expect(proposal.body.reason).toBe(reason)
    expect(decidedAt.getTime()).toBeLessThanOrEqual(Number(typedData.message.expires) * 1000)
    expect(decidedAt.getTime()).toBeLessThanOrEqual(Date.parse(proposal.body.expiresAt))
    for (const { address, signature } of signers)
      expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(address)
  }
  for (const { userId } of users) {
    const changes = rows.filter(({ subject }) => subject === userId)
    const states = ['active', ...changes.map(({ command }) => (command === 'user block' ? 'blocked' : 'active'))]
    expect(changes.map(({ proof }) => proof.state.account)).toEqual(states.slice(0, -1))
    const [account] = await service.ctx.db.query<{ status: string }>('select status from account where user_id = $1', [
      userId,
    ])
    expect(account?.status).toBe(states.at(-1))
  }
  await assertPayouts(rows)
  expect((await checkLogs(service.as('reader'))).badRows).toEqual([])
}

test(`no decision takes effect without a proposal, the needed people, valid signatures and the signed state (PROPERTY_SEED=${seed})`, {
  timeout,
}, async () => {
  for (const operator of operators) expect(await signInOperator(service, operator.wallet)).toMatch(/^pso_/)
  const property = fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (actions) => {
    for (const each of actions) await act(each)
    await assertDecisions()
  })
  await fc.assert(property, { seed, numRuns: 8 * times, endOnFailure: true })
  const [row] = await service.ctx.db.query<{ count: bigint }>('select count(*) as count from operator_decision')
  expect(row?.count).toBeGreaterThan(0n)
})
