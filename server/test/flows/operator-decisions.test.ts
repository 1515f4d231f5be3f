import { randomUUID } from 'node:crypto'
import { hashTypedData, recoverTypedDataAddress } from 'viem/utils'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  approve,
  type Change,
  fromConsole,
  newOperator,
  operatorMessage,
  propose,
  signDecision,
  signed,
  signInOperator,
  type TestOperator,
  twoPeople,
} from '../support/console.ts'
import { runOperator } from '../support/operator.ts'
import { newPartner } from '../support/partner.ts'
import { lockWaits } from '../support/run/cluster.ts'
import { newWallet, type Reply, startService, type TestUser } from '../support/service.ts'
import { waitUntil } from '../support/vendors/webhook-receiver.ts'
import { useWorld } from '../support/world.ts'

const { service, world } = useWorld({ env: twoPeople, worker: false })
let [ada, bob] = [{} as TestOperator, {} as TestOperator]
beforeAll(async () => {
  ada = await newOperator(service, 'admin')
  bob = await newOperator(service, 'admin')
})

const short = ({ status, body }: { status: number; body: any }) => [status, body?.error ?? body?.status]
const statusOf = async ({ token }: Pick<TestUser, 'token'>) =>
  (await service.request('GET', '/user/account', { token })).body.status
const block = ({ userId }: Pick<TestUser, 'userId'>): Change => ({ command: 'user block', subject: userId })
const unblock = ({ userId }: Pick<TestUser, 'userId'>): Change => ({ command: 'user unblock', subject: userId })
const decisionsOn = async (subject: string) =>
  (await ada.ask('GET', `/decisions?subject=${encodeURIComponent(subject)}`)).body.data

async function blockedUser() {
  const { alice } = await world()
  expect((await propose(ada, block(alice))).status).toBe(201)
  return alice
}

describe('a decision of one person', () => {
  test('a signed request blocks a user at once, and its proof can be verified', async () => {
    const { alice } = await world()
    const response = await propose(ada, { ...block(alice), reason: 'stolen phone' })
    expect(short(response)).toEqual([201, 'executed'])
    expect(response.body.outcome).toBe(`The account of ${alice.userId} is blocked.`)
    expect(await statusOf(alice)).toBe('blocked')
    const [decision] = await decisionsOn(alice.userId)
    expect(decision).toMatchObject({
      command: 'user block',
      decidedBy: ada.wallet.address,
      approvedBy: null,
      reason: 'stolen phone',
      isBreakGlass: false,
    })
    expect(decision.decisionId).toBe(response.body.decisionId)
    const { signature } = decision.proof.signers[0]
    expect(await recoverTypedDataAddress({ ...response.body.typedData, signature })).toBe(ada.wallet.address)
  })

  test('a request for a decision without a signature changes nothing and returns the typed data to sign', async () => {
    const { alice } = await world()
    const path = `/users/${alice.userId}/block`
    const prepared = await ada.ask('POST', path, { reason: 'a look' })
    expect([prepared.status, prepared.body.needed, prepared.body.state]).toEqual([
      200,
      1,
      { user: 'active', account: 'active' },
    ])
    expect(await statusOf(alice)).toBe('active')
    const { typedData, stateHash, expires } = prepared.body
    const signature = await signDecision(ada.wallet, typedData)
    const done = await ada.ask('POST', path, { reason: 'a look', signed: { stateHash, expires, signature } })
    expect(short(done)).toEqual([201, 'executed'])
    expect(await statusOf(alice)).toBe('blocked')
  })

  test('a repeated request returns the same proposal and executes nothing again', async () => {
    const { alice } = await world()
    const body = await signed(ada, block(alice))
    const first = await ada.ask('POST', '/proposals', body)
    await propose(ada, unblock(alice)).then(({ body: open }) => approve(bob, open))
    expect(await statusOf(alice)).toBe('active')
    const again = await ada.ask('POST', '/proposals', body)
    expect([again.status, again.body.proposalId]).toEqual([201, first.body.proposalId])
    expect(await statusOf(alice)).toBe('active')
  })

  test('an expiry that is not a time is rejected before the signature is checked', async () => {
    const { alice } = await world()
    const body = await signed(ada, block(alice))
    for (const expires of [253_402_300_800, 1e17, 1e80, 1e300]) {
      const given = { ...body, signed: { ...body.signed, expires } }
      const { status, body: response } = await ada.ask('POST', '/proposals', given)
      expect([status, response.error?.name], String(expires)).toEqual([400, 'ValidationError'])
    }
    expect(await statusOf(alice)).toBe('active')
  })

  test('concurrent equal requests make one proposal', async () => {
    const { alice } = await world()
    const body = await signed(ada, block(alice))
    const responses = await Promise.all(Array.from({ length: 6 }, () => ada.ask('POST', '/proposals', body)))
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 201))
    expect(new Set(responses.map(({ body: { proposalId } }) => proposalId)).size).toBe(1)
    expect(await decisionsOn(alice.userId)).toHaveLength(1)
  })
})

test('an executed decision is a security event, and an open proposal is not', async () => {
  const { alice } = await world()
  const count = (reason: string) => service.metric('securityEvents', { event: 'operator_decided', reason })
  const before = [await count('user block'), await count('user unblock')]
  await propose(ada, block(alice))
  await propose(ada, unblock(alice))
  expect([await count('user block'), await count('user unblock')]).toEqual([(before[0] ?? 0) + 1, before[1]])
})

describe('a decision of two people', () => {
  test('an unblocking waits for the signature of another person', async () => {
    const alice = await blockedUser()
    const proposed = await propose(ada, unblock(alice))
    expect(short(proposed)).toEqual([201, 'open'])
    expect(await statusOf(alice)).toBe('blocked')
    const approved = await approve(bob, proposed.body)
    expect(short(approved)).toEqual([200, 'executed'])
    expect(await statusOf(alice)).toBe('active')
    const [decision] = await decisionsOn(alice.userId)
    expect([decision.decidedBy, decision.approvedBy]).toEqual([ada.wallet.address, bob.wallet.address])
    expect(decision.proof.signers.map(({ address }: any) => address)).toEqual([ada.wallet.address, bob.wallet.address])
  })

  test('the proposer cannot approve, with the same wallet or another wallet of the same person', async () => {
    const alice = await blockedUser()
    const { body } = await propose(ada, unblock(alice))
    expect(short(await approve(ada, body))).toEqual([403, 'SECOND_PERSON_REQUIRED'])
    const second = await newOperator(service, 'admin', { personId: ada.personId })
    expect(short(await approve(second, body))).toEqual([403, 'SECOND_PERSON_REQUIRED'])
    expect(await statusOf(alice)).toBe('blocked')
  })

  test('a person whose second wallet has another role cannot approve their own proposal', async () => {
    const alice = await blockedUser()
    const { body } = await propose(ada, unblock(alice))
    const asMoney = await newOperator(service, 'money', { personId: ada.personId })
    expect(short(await approve(asMoney, body))).toEqual([403, 'SECOND_PERSON_REQUIRED'])
  })

  test('a wallet that was moved to another person after the proposal counts for both people', async () => {
    const alice = await blockedUser()
    const proposer = await newOperator(service, 'admin')
    const second = await newOperator(service, 'admin', { personId: proposer.personId })
    const third = await newOperator(service, 'admin')
    const { body } = await propose(proposer, unblock(alice))
    await service.ctx.db.query('update operator set person_id = $2 where address = $1', [
      proposer.wallet.address,
      third.personId,
    ])
    for (const approver of [second, third])
      expect(short(await approve(approver, body))).toEqual([403, 'SECOND_PERSON_REQUIRED'])
    expect(await statusOf(alice)).toBe('blocked')
  })

  test('a signature of the proposer, of a stranger or over other data approves nothing', async () => {
    const alice = await blockedUser()
    const { body } = await propose(ada, unblock(alice))
    const { body: other } = await propose(ada, { ...unblock(alice), reason: 'another reason' })
    const path = `/proposals/${body.proposalId}/approve`
    for (const signature of [
      await signDecision(ada.wallet, body.typedData),
      await signDecision(newWallet(), body.typedData),
      await signDecision(bob.wallet, other.typedData),
      '0x',
      `0x${'0'.repeat(130)}`,
    ])
      expect(short(await bob.ask('POST', path, { signature }))).toEqual([403, 'DECISION_NOT_SIGNED'])
    expect(await statusOf(alice)).toBe('blocked')
  })

  test('a proposal lapses and names the changes if the state is not the signed one', async () => {
    const alice = await blockedUser()
    const first = await propose(ada, unblock(alice))
    const second = await propose(ada, { ...unblock(alice), reason: 'once more' })
    expect((await approve(bob, first.body)).status).toBe(200)
    expect(short(await approve(bob, second.body))).toEqual([409, 'PROPOSAL_LAPSED'])
    const { body } = await ada.ask('GET', `/proposals/${second.body.proposalId}`)
    expect([body.status, body.outcome]).toEqual(['lapsed', 'account: blocked, now active'])
    expect(short(await approve(bob, second.body))).toEqual([409, 'PROPOSAL_NOT_OPEN'])
  })

  test('a proposal to suspend a partner, or to change its access to details, does not depend on its name', async () => {
    const partner = await newPartner(service)
    const renamed = async (command: string, given = {}) => {
      const { body } = await propose(ada, { command, subject: partner.partnerId, arguments: given })
      expect((await partner.ask('PATCH', '', { name: `Another name before ${command}` })).status).toBe(200)
      return short(await approve(bob, body))
    }
    expect(await renamed('partner details', { details: 'on' })).toEqual([200, 'executed'])
    expect(await renamed('partner suspend')).toEqual([200, 'executed'])
    const proposed = await propose(ada, { command: 'partner approve', subject: partner.partnerId })
    expect(proposed.body.state).toEqual({
      name: 'Another name before partner suspend',
      status: 'suspended',
      details: 'on',
    })
  })

  test('a proposal lapses if the proposer has lost the permission', async () => {
    const alice = await blockedUser()
    const money = await newOperator(service, 'money')
    const { body } = await propose(money, unblock(alice))
    await service.ctx.db.query(`update operator set role = 'support' where address = $1`, [money.wallet.address])
    expect(short(await approve(bob, body))).toEqual([409, 'PROPOSAL_LAPSED'])
    expect(await statusOf(alice)).toBe('blocked')
  })

  test('an approver who has lost the permission while signing is rejected', async () => {
    const alice = await blockedUser()
    const money = await newOperator(service, 'money')
    const { body } = await propose(ada, unblock(alice))
    await service.ctx.db.query(`update operator set role = 'viewer' where address = $1`, [money.wallet.address])
    expect(short(await approve(money, body))).toEqual([403, 'ROLE_NOT_PERMITTED'])
    expect(await statusOf(alice)).toBe('blocked')
  })

  test('an expired proposal cannot be approved', async () => {
    const here = await startService({ env: twoPeople, worker: false })
    const [one, two] = [await newOperator(here, 'admin'), await newOperator(here, 'admin')]
    const user = await here.newUser()
    await propose(one, block(user))
    const { body } = await propose(one, unblock(user))
    await here.advance(24 * 3600 + 1)
    const token = await signInOperator(here, two.wallet)
    const signature = await signDecision(two.wallet, body.typedData)
    const path = `/operator/proposals/${body.proposalId}`
    const approved = await here.request('POST', `${path}/approve`, { token, body: { signature } })
    expect(short(approved)).toEqual([409, 'PROPOSAL_NOT_OPEN'])
    expect((await here.request('GET', path, { token })).body.status).toBe('expired')
    const listed = await here.request('GET', '/operator/proposals?status=expired', { token })
    expect(listed.body.data.map(({ proposalId }: any) => proposalId)).toEqual([body.proposalId])
    expect((await here.request('GET', '/operator/proposals?status=open', { token })).body.data).toEqual([])
    await here.stop()
  })

  test('an approval that waits for a lock until the proposal expires changes nothing', async () => {
    const here = await startService({ env: twoPeople, worker: false })
    const [one, two] = [await newOperator(here, 'admin'), await newOperator(here, 'admin')]
    const user = await here.newUser()
    await propose(one, block(user))
    const { body } = await propose(one, unblock(user))
    await here.advance(24 * 3600 - 60)
    const token = await signInOperator(here, two.wallet)
    const signature = await signDecision(two.wallet, body.typedData)
    const path = `/operator/proposals/${body.proposalId}`
    const approvals: Promise<Reply>[] = []
    await here.ctx.db.transaction(async (tx) => {
      await tx.query('select from account where user_id = $1 for update', [user.userId])
      approvals.push(here.request('POST', `${path}/approve`, { token, body: { signature } }))
      const isLockAwaited = async () => (await here.ctx.db.query(lockWaits, [])).length > 0
      await Promise.race([...approvals, waitUntil(isLockAwaited, 'the lock')])
      await here.advance(120)
    })
    expect((await Promise.all(approvals)).map(short)).toEqual([[409, 'PROPOSAL_LAPSED']])
    expect(await here.metric('securityEvents', { event: 'operator_decided', reason: 'user unblock' })).toBe(0)
    expect((await runOperator(here, ['decisions', 'verify'])).output).toContain(': 1 signed, 0 break-glass.')
    await here.stop()
  })

  test('of two concurrent approvals, one executes the change and the other finds it executed', async () => {
    const alice = await blockedUser()
    const carol = await newOperator(service, 'admin')
    const { body } = await propose(ada, unblock(alice))
    const responses = await Promise.all([approve(bob, body), approve(carol, body)])
    expect(responses.map(short).sort()).toEqual([
      [200, 'executed'],
      [409, 'PROPOSAL_NOT_OPEN'],
    ])
    expect(await decisionsOn(alice.userId)).toHaveLength(2)
  })

  test('a repeated approval returns the executed proposal', async () => {
    const alice = await blockedUser()
    const { body } = await propose(ada, unblock(alice))
    const [one, two] = [await approve(bob, body), await approve(bob, body)]
    expect([one.status, two.status, two.body]).toEqual([200, 200, one.body])
  })

  test('a proposal survives the process that received it', async () => {
    const alice = await blockedUser()
    const first = await startService({ connection: service.connection, env: twoPeople, worker: false })
    const token = await signInOperator(first, ada.wallet)
    const asAda = {
      ...ada,
      ask: (method: string, path: string, body?: unknown) => first.request(method, `/operator${path}`, { token, body }),
    }
    const { body } = await propose(asAda, unblock(alice))
    await first.stop()
    expect(short(await approve(bob, body))).toEqual([200, 'executed'])
  })

  test('a rejected proposal cannot be approved, and the proposer may withdraw it', async () => {
    const alice = await blockedUser()
    const { body } = await propose(ada, unblock(alice))
    const path = `/proposals/${body.proposalId}/reject`
    expect(short(await ada.ask('POST', path, { reason: 'a mistake' }))).toEqual([200, 'rejected'])
    expect(short(await ada.ask('POST', path, { reason: 'a mistake' }))).toEqual([200, 'rejected'])
    expect(short(await bob.ask('POST', path, { reason: 'late' }))).toEqual([409, 'PROPOSAL_NOT_OPEN'])
    expect(short(await approve(bob, body))).toEqual([409, 'PROPOSAL_NOT_OPEN'])
    expect((await ada.ask('GET', `/proposals/${body.proposalId}`)).body.outcome).toBe('a mistake')
  })
})

describe('what a signature covers', () => {
  test('a changed reason, subject, argument, state or expiry makes the signature invalid', async () => {
    const { alice, carol } = await world({}, 'alice', 'carol')
    const body = await signed(ada, block(alice))
    const { signed: given } = body
    const changes: object[] = [
      { reason: 'another reason' },
      { subject: carol.userId },
      { signed: { ...given, expires: given.expires - 1 } },
      { signed: { ...given, stateHash: `0x${'1'.repeat(64)}` } },
      { signed: { ...given, signature: `0x${'1'.repeat(64)}${given.signature.slice(66)}` } },
    ]
    for (const change of changes)
      expect(short(await ada.ask('POST', '/proposals', { ...body, ...change }))).toEqual([403, 'DECISION_NOT_SIGNED'])
    const added = await signed(ada, {
      command: 'operator add',
      subject: newWallet().address,
      arguments: { role: 'viewer', person: 'Eve' },
    })
    const raised = { ...added, arguments: { role: 'admin', person: 'Eve' } }
    expect(short(await ada.ask('POST', '/proposals', raised))).toEqual([403, 'DECISION_NOT_SIGNED'])
    expect(await statusOf(alice)).toBe('active')
  })

  test('a signature is valid for its signer alone', async () => {
    const { alice } = await world()
    const body = await signed(ada, block(alice))
    expect(short(await bob.ask('POST', '/proposals', body))).toEqual([403, 'DECISION_NOT_SIGNED'])
    expect((await ada.ask('POST', '/proposals', body)).status).toBe(201)
    const signature = await signDecision(bob.wallet, (await ada.ask('POST', '/proposals', body)).body.typedData)
    const stolen = { ...body, signed: { ...body.signed, signature } }
    expect(short(await bob.ask('POST', '/proposals', stolen))).toEqual([409, 'DECISION_USED'])
  })

  test('a request is rejected if the state changes while the proposer signs', async () => {
    const { alice } = await world()
    const body = await signed(ada, block(alice))
    await propose(bob, { ...block(alice), reason: 'bob was faster' })
    expect(short(await ada.ask('POST', '/proposals', body))).toEqual([409, 'STATE_CHANGED'])
  })

  test('a decision that expires in the past or in more than a day is rejected', async () => {
    const { alice } = await world()
    const prepared = await ada.ask('POST', '/proposals', { reason: 'a test', ...block(alice) })
    const { typedData, stateHash, expires } = prepared.body
    for (const wrong of [1, Math.floor(Date.now() / 1000) - 1, expires + 3600]) {
      const message = { ...typedData.message, expires: String(wrong) }
      const signature = await signDecision(ada.wallet, { ...typedData, message })
      const body = { reason: 'a test', ...block(alice), signed: { stateHash, expires: wrong, signature } }
      expect(short(await ada.ask('POST', '/proposals', body))).toEqual([422, 'DECISION_EXPIRED'])
    }
  })

  test('a signature for the console of another programme is invalid', async () => {
    const { alice } = await world()
    const { body } = await ada.ask('POST', '/proposals', { reason: 'a test', ...block(alice) })
    const domain = { ...body.typedData.domain, name: 'Purser operators of https://other.example' }
    const signature = await signDecision(ada.wallet, { ...body.typedData, domain })
    const given = { stateHash: body.stateHash, expires: body.expires, signature }
    const asked = { reason: 'a test', ...block(alice), signed: given }
    expect(short(await ada.ask('POST', '/proposals', asked))).toEqual([403, 'DECISION_NOT_SIGNED'])
  })

  test('a stolen session without the wallet decides nothing', async () => {
    const { alice } = await world()
    const prepared = await ada.ask('POST', `/users/${alice.userId}/block`, { reason: 'theft' })
    const { typedData, stateHash, expires } = prepared.body
    const thief = newWallet()
    for (const signature of ['0x', await signDecision(thief, typedData)]) {
      const body = { reason: 'theft', signed: { stateHash, expires, signature } }
      expect(short(await ada.ask('POST', `/users/${alice.userId}/block`, body))).toEqual([403, 'DECISION_NOT_SIGNED'])
    }
    expect(await decisionsOn(alice.userId)).toEqual([])
  })

  test('a stolen cookie without the wallet decides nothing', async () => {
    const { alice } = await world()
    const opened = await operatorMessage(service, ada.wallet)
    const session = await service.request('POST', '/operator/session', {
      body: { ...opened, via: 'cookie' },
      headers: fromConsole,
    })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    const ask = (body: object) =>
      service.request('POST', `/operator/users/${alice.userId}/block`, { headers: { ...fromConsole, cookie }, body })
    const prepared = await ask({ reason: 'theft' })
    expect(prepared.status).toBe(200)
    const { typedData, stateHash, expires } = prepared.body
    for (const signature of ['0x', await signDecision(newWallet(), typedData)]) {
      const response = await ask({ reason: 'theft', signed: { stateHash, expires, signature } })
      expect(short(response)).toEqual([403, 'DECISION_NOT_SIGNED'])
    }
    expect(await decisionsOn(alice.userId)).toEqual([])
  })

  test('a page of another origin cannot use the cookie to propose', async () => {
    const { alice } = await world()
    const headers = { ...fromConsole, origin: 'https://evil.example', cookie: `purser-operator=pso_${'a'.repeat(43)}` }
    const body = { reason: 'a test' }
    const response = await service.request('POST', `/operator/users/${alice.userId}/block`, { headers, body })
    expect(short(response)).toEqual([403, 'ORIGIN_NOT_ALLOWED'])
  })
})

describe('operators', () => {
  const added = (subject: string, role = 'support', person = 'Carol'): Change => ({
    command: 'operator add',
    subject,
    arguments: { role, person },
  })
  const decideBoth = async (change: Change) => approve(bob, (await propose(ada, change)).body)

  test('two admins add an operator, and changing its role or removing it ends its sessions', async () => {
    const wallet = newWallet()
    const add = await ada.ask('POST', '/operators', {
      wallet: wallet.address,
      role: 'support',
      person: 'Carol',
      reason: 'hired',
    })
    expect(add.status).toBe(200)
    expect(short(await decideBoth(added(wallet.address)))).toEqual([200, 'executed'])
    const row = (await ada.ask('GET', '/operators')).body.data.find(({ address }: any) => address === wallet.address)
    expect(row).toMatchObject({ name: 'Carol', role: 'support', addedBy: ada.wallet.address, removedAt: null })
    const token = await signInOperator(service, wallet)
    const me = () => service.request('GET', '/operator/me', { token })
    expect((await me()).body.role).toBe('support')
    await decideBoth({ command: 'operator change', subject: wallet.address, arguments: { role: 'viewer' } })
    expect((await me()).status).toBe(401)
    const again = await signInOperator(service, wallet)
    expect((await service.request('GET', '/operator/me', { token: again })).body.role).toBe('viewer')
    await decideBoth({ command: 'operator remove', subject: wallet.address })
    expect((await service.request('GET', '/operator/me', { token: again })).status).toBe(401)
    await expect(signInOperator(service, wallet)).rejects.toThrow('NOT_AN_OPERATOR')
  })

  test('a second wallet of a person is added by the id of the person', async () => {
    const wallet = newWallet()
    expect(short(await decideBoth(added(wallet.address, 'admin', bob.personId)))).toEqual([200, 'executed'])
    const rows = (await ada.ask('GET', '/operators')).body.data
    expect(rows.find(({ address }: any) => address === wallet.address).personId).toBe(bob.personId)
    const unknown = await propose(ada, added(newWallet().address, 'admin', randomUUID()))
    expect(short(await approve(bob, unknown.body))).toEqual([409, 'PROPOSAL_LAPSED'])
    const { outcome } = (await ada.ask('GET', `/proposals/${unknown.body.proposalId}`)).body
    expect(outcome).toMatch(/^No person has the id/)
  })

  test('only an admin may change operators', async () => {
    for (const role of ['viewer', 'support', 'money', 'auditor'] as const) {
      const operator = await newOperator(service, role)
      const body = { role: 'admin', person: 'Eve', wallet: newWallet().address, reason: 'x' }
      expect(short(await operator.ask('POST', '/operators', body)), role).toEqual([403, 'ROLE_NOT_PERMITTED'])
      const direct = { ...added(newWallet().address), reason: 'x' }
      expect(short(await operator.ask('POST', '/proposals', direct)), role).toEqual([403, 'ROLE_NOT_PERMITTED'])
    }
  })

  test('a malformed wallet, role or person is rejected', async () => {
    const change = (subject: string, role: string, person: string) =>
      ada.ask('POST', '/proposals', { ...added(subject, role, person), reason: 'x' })
    expect((await change('0x12', 'admin', 'Eve')).body.error.message).toContain('is not a wallet')
    expect((await change(newWallet().address, 'root', 'Eve')).body.error.message).toBe(
      'role must be one of viewer, support, money, admin, auditor.',
    )
    expect((await change(newWallet().address, 'admin', 'a\u0007b')).status).toBe(400)
  })
})

describe('policies', () => {
  test('a policy by amount asks for a second person above the amount, and for other currencies', async () => {
    const OPERATOR_POLICIES = JSON.stringify({ 'payouts cancel': { EUR: '1000' } })
    const here = await startService({ env: { OPERATOR_POLICIES }, worker: false })
    const operator = await newOperator(here, 'money')
    const user = await here.newUser()
    const cancel = async (units: bigint, symbol: string) => {
      await here.deposit(user, units, { symbol })
      const body = { tokenAddress: here.tokenAddress(symbol), amount: String(units) }
      const { withdrawalId } = (await here.request('POST', '/user/withdrawal', { token: user.token, body })).body
      return (await propose(operator, { command: 'payouts cancel', subject: withdrawalId })).body.status
    }
    expect(await cancel(10n ** 19n, 'EURe')).toBe('executed')
    expect(await cancel(10n ** 19n + 1n, 'EURe')).toBe('open')
    expect(await cancel(1_000_000n, 'USDC')).toBe('open')
    await here.stop()
  })

  test('in the sandbox one person is enough even to unblock an account', async () => {
    const here = await startService({ worker: false })
    const operator = await newOperator(here, 'admin')
    const user = await here.newUser()
    await propose(operator, block(user))
    expect((await propose(operator, unblock(user))).body.status).toBe('executed')
    await here.stop()
  })
})

describe('the log of decisions', () => {
  test('decisions are paged by number, and filtered by subject and operator', async () => {
    const alice = await blockedUser()
    await propose(ada, unblock(alice)).then(({ body }) => approve(bob, body))
    const first = (await ada.ask('GET', `/decisions?subject=${alice.userId}&limit=1`)).body
    expect([first.data.length, first.pagination.hasNext]).toEqual([1, true])
    const next = await ada.ask('GET', `/decisions?subject=${alice.userId}&limit=1&after=${first.data[0].seq}`)
    expect([next.body.data[0].command, next.body.pagination.hasNext]).toEqual(['user block', false])
    const byBob = (await ada.ask('GET', `/decisions?by=${bob.wallet.address}&subject=${alice.userId}`)).body.data
    expect(byBob.map(({ command }: any) => command)).toEqual(['user unblock'])
  })

  test('a decision is found by its subject, in whatever case the ids and wallets were typed', async () => {
    const { alice } = await world()
    const { userId } = alice
    const typed = userId.toUpperCase()
    expect((await propose(ada, block({ userId: typed }))).body).toMatchObject({ status: 'executed', subject: userId })
    for (const path of [`/decisions?subject=${userId}`, `/decisions?subject=${typed}`, `/users/${typed}/decisions`]) {
      const { data } = (await ada.ask('GET', path)).body
      expect(data, path).toMatchObject([{ command: 'user block', subject: userId }])
    }
    const { address } = newWallet()
    const add = {
      command: 'operator add',
      subject: address.toLowerCase(),
      arguments: { role: 'viewer', person: 'Eve' },
    }
    const added = await approve(bob, (await propose(ada, add)).body)
    expect(added.body).toMatchObject({ status: 'executed', subject: address })
    expect(await decisionsOn(address)).toHaveLength(1)
    expect(await decisionsOn(`eip155:1:${address.toLowerCase()}`)).toHaveLength(0)
  })

  test('the shell verifies all decisions, and marks its own as break-glass', async () => {
    const { alice } = await world()
    await propose(ada, block(alice))
    const words = ['user', 'unblock', alice.userId.toUpperCase(), 'by', 'hand']
    expect((await runOperator(service, words)).code).toBe(0)
    const [decision] = await decisionsOn(alice.userId)
    expect(decision).toMatchObject({ isBreakGlass: true, decidedBy: 'ada', proof: null, reason: 'by hand' })
    const verified = await runOperator(service, ['decisions', 'verify'])
    expect(verified).toMatchObject({ code: 0 })
    expect(verified.output).toMatch(/^Complete and authentic decisions: \d+ signed, 1 break-glass\.\n$/)
  })

  test('the shell finds a decision whose proof was changed', async () => {
    const here = await startService({ worker: false })
    const operator = await newOperator(here, 'admin')
    await propose(operator, block(await here.newUser()))
    await here.ctx.db.query(
      `update operator_decision set proof = replace(proof, '"account":"active"', '"account":"closed"')`,
    )
    const { code, output } = await runOperator(here, ['decisions', 'verify'])
    expect(code).toBe(1)
    expect(output).toContain('its hash or MAC does not match')
    expect(output).toContain('the state does not match its hash')
    await here.stop()
  })

  test.each(['command', 'subject', 'reason'] as const)(
    'the shell finds a decision whose %s was changed, even if its proof contains the original value',
    async (field) => {
      const here = await startService({ worker: false })
      const operator = await newOperator(here, 'admin')
      await propose(operator, block(await here.newUser()))
      await here.ctx.db.query(
        `update operator_decision set ${field} = ${field} || ' forged',
           proof = (proof::jsonb || jsonb_build_object('${field}', ${field}))::text`,
      )
      const { code, output } = await runOperator(here, ['decisions', 'verify'])
      expect([code, output]).toEqual([1, expect.stringMatching(/the signature of 0x\w+ is invalid/)])
      await here.stop()
    },
  )

  test('the shell counts the decisions that one person signed and for which the policy now requires two people', async () => {
    const here = await startService({ worker: false })
    const operator = await newOperator(here, 'admin')
    const user = await here.newUser()
    await propose(operator, block(user))
    await propose(operator, unblock(user))
    const verify = async (env = {}) => (await runOperator(here, ['decisions', 'verify'], env)).output
    expect(await verify()).not.toContain('one person')
    expect(await verify(twoPeople)).toContain(
      ' Decisions that one person signed, but for which OPERATOR_POLICIES now requires two: 1.',
    )
    await here.stop()
  })

  test.each(['not JSON', '{}', '5', '[]', 'null'])(
    'a decision with the proof "%s" is listed, and the shell reports that its proof is unreadable',
    async (proof) => {
      const here = await startService({ worker: false })
      const operator = await newOperator(here, 'admin')
      const { userId } = await here.newUser()
      await propose(operator, block({ userId }))
      await here.ctx.db.query('update operator_decision set proof = $1', [proof])
      const { code, output } = await runOperator(here, ['decisions', 'verify'])
      expect([code, output]).toEqual([1, expect.stringContaining('operator_decision 1: its proof is unreadable')])
      expect(output).toContain('its hash or MAC does not match')
      const listed = await operator.ask('GET', `/decisions?subject=${userId}`)
      expect([listed.status, listed.body.data.length]).toEqual([200, 1])
      await here.stop()
    },
  )

  test('the shell adds the first operators', async () => {
    const here = await startService({ worker: false })
    const wallet = newWallet()
    const words = [
      'operator',
      'add',
      wallet.address,
      '--role',
      'admin',
      '--person',
      'Ada Lovelace',
      '--reason',
      'the',
      'first',
    ]
    const { code, output } = await runOperator(here, words)
    expect([code, output]).toEqual([
      0,
      expect.stringContaining(`${wallet.address} is an operator with the role admin.`),
    ])
    await signInOperator(here, wallet)
    expect((await runOperator(here, ['operator', 'list'])).output).toContain(`${wallet.address}  admin  Ada Lovelace`)
    const unknown = await runOperator(here, ['operator', 'add', wallet.address, 'admin', 'Eve', 'again'])
    expect([unknown.code, unknown.output]).toEqual([
      1,
      `${wallet.address} is already an operator. Use "operator change" to change its role.\n`,
    ])
    await here.stop()
  })
})

test('the digest of a decision is the EIP-712 hash of its typed data', async () => {
  const { alice } = await world()
  const { body } = await propose(ada, block(alice))
  const { domain, types, primaryType, message } = body.typedData
  const digest = hashTypedData({
    domain,
    types,
    primaryType,
    message: { ...message, expires: BigInt(message.expires) },
  })
  const [row] = await service.ctx.db.query<{ digest: string }>(
    'select digest from operator_proposal where proposal_id = $1',
    [body.proposalId],
  )
  expect(row?.digest).toBe(digest)
})
