import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usageOf } from '../../src/commands/usage.ts'
import { operatorCommands } from '../../src/config/operators.ts'
import { mayOperate, operatorRoles } from '../../src/lib/operator-permission.ts'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import { commands } from '../../src/operators/commands.ts'
import { decisionRouteTable } from '../../src/operators/decision-route-table.ts'
import { publishOutbox } from '../../src/webhooks/publish-outbox.ts'
import { closure } from '../acceptance/client.ts'
import { newOperator, signDecision, type TestOperator } from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet, type Reply } from '../support/service.ts'
import { webhookStories } from '../support/webhook-story.ts'
import { useWorld } from '../support/world.ts'

/**
 * Sends commands through their own routes, with one signature. Other tests start a chain, and cover the commands that
 * need a chain.
 */
const { service, world, cardholder } = useWorld({ env: { PARTNER_SIGN_UP: 'approval' }, worker: false })
const stories = webhookStories(() => service)
let ada = {} as TestOperator
beforeAll(async () => {
  ada = await newOperator(service, 'admin')
})
afterAll(() => stories.closeReceivers())

/** Sends a change without a signature, signs the typed data, and sends it again. */
async function decide(method: string, path: string, more: object = {}): Promise<Reply> {
  const body = { reason: 'a test', ...more }
  const prepared = await ada.ask(method, path, body)
  if (prepared.status !== 200) return prepared
  const { typedData, stateHash, expires } = prepared.body
  const signature = await signDecision(ada.wallet, typedData)
  return ada.ask(method, path, { ...body, signed: { stateHash, expires, signature } })
}

const executed = async (sent: Promise<Reply>): Promise<string> => {
  const { status, body, text } = await sent
  expect([status, body.status], text).toEqual([201, 'executed'])
  return body.outcome
}

test('every command has one route, and every route needs the permission of its command', async () => {
  expect(decisionRouteTable.map(({ command }) => command).sort()).toEqual(Object.keys(operatorCommands).sort())
  for (const role of operatorRoles) {
    const operator = await newOperator(service, role)
    for (const { route, command } of decisionRouteTable) {
      const [method = '', path = ''] = route.split(' ')
      const { body } = await operator.ask(method, path.replaceAll(/:\w+/g, 'x'), {})
      expect(body.error === 'ROLE_NOT_PERMITTED', `${role}: ${route}`).toBe(
        !mayOperate(role, commands[command].permission),
      )
    }
  }
})

test('every command of the shell has a route, except for the secrets and the offline check of decisions', async () => {
  const reads: Readonly<Record<string, string>> = {
    'decisions list': '/decisions',
    'domain list': '/domains',
    'factory list': '/chains',
    'keys list': '/signing-keys',
    'operator list': '/operators',
    'partner list': '/partners',
    'payouts list': '/payouts?state=open',
    'reviews list': '/reviews',
    'switch list': '/switches',
    'transfers list': '/deposits?state=untold',
  }
  // The command line verifies decisions without the service.
  const ofTheShell = ['decisions verify', 'secrets list', 'secrets rotate']
  // The shell has the state of a switch as an argument.
  const changes = new Set(Object.keys(operatorCommands).map((name) => name.replace(/^(switch .*) (on|off)$/, '$1')))
  const typed = [...usageOf().matchAll(/^ {2}(\w.*)$/gm)].map(([, line = '']) => line.split(/ [<[]/)[0] ?? '')
  expect(typed.toSorted()).toEqual([...changes, ...Object.keys(reads), ...ofTheShell].toSorted())
  for (const path of Object.values(reads)) expect((await ada.ask('GET', path)).status, path).toBe(200)
})

describe('users', () => {
  test('an operator blocks and unblocks a user', async () => {
    const { alice } = await world()
    expect(await executed(decide('POST', `/users/${alice.userId}/block`))).toContain('is blocked')
    expect((await decide('POST', `/users/${alice.userId}/block`)).body.error.message).toBe(
      'The account is already blocked.',
    )
    expect(await executed(decide('POST', `/users/${alice.userId}/unblock`))).toContain('is active')
  })

  test('an operator erases a closed user, and no other', async () => {
    const { alice } = await world()
    const open = await decide('POST', `/users/${alice.userId}/erase`)
    expect([open.status, open.body.error]).toEqual([409, 'USER_NOT_CLOSED'])
    await alice.ask('POST', '/user/close', await closure(service, alice))
    expect(await executed(decide('POST', `/users/${alice.userId}/erase`))).toBe(`${alice.userId} is erased.`)
    const erasedAt = (await ada.ask('GET', `/users/${alice.userId}`)).body.erasedAt
    await service.advance(60)
    const again = await decide('POST', `/users/${alice.userId}/erase`)
    expect(again.body.error.message).toBe(`${alice.userId} is already erased.`)
    const { body } = await ada.ask('POST', `/users/${alice.userId}/erase`, { reason: 'a look' })
    expect(body.state).toEqual({ user: 'erased', account: 'closed', left: null })
    expect((await ada.ask('GET', `/users/${alice.userId}`)).body.erasedAt).toBe(erasedAt)
  })

  test('an operator can pay the later deposits of a closed user to an owner, and to nobody else', async () => {
    const { alice } = await world()
    const order = (payee = alice.wallet.address) =>
      decide('POST', `/users/${alice.userId}/payout`, { token: service.tokenAddress(), payee })
    expect((await order()).body.error).toBe('USER_NOT_CLOSED')
    await alice.ask('POST', '/user/close', await closure(service, alice))
    expect((await order()).body.error.message).toContain('has no EURe to pay out')
    await service.deposit(alice, 7n)
    expect((await order(newWallet().address)).body.error.message).toContain('is not an owner of user')

    const outcome = await executed(order())
    const withdrawalId = /: payout (\S+) is pending/.exec(outcome)?.[1]
    expect((await order()).body.error.message).toContain('has no EURe to pay out')
    await service.jobs.runDue()
    await service.sandbox('POST', `/withdrawals/${withdrawalId}`, { outcome: 'completed' })
    const paid = await service.ctx.db.query(
      'select status, amount, to_address as payee from withdrawal where user_id = $1',
      [alice.userId],
    )
    expect(paid).toEqual([{ status: 'completed', amount: 7n, payee: alice.wallet.address }])
    expect(await checkUser(service.ctx, alice.userId)).toEqual([])
  })

  test('a closed user whose payout is in progress is not erased until the payout has ended', async () => {
    const { alice } = await world()
    await alice.ask('POST', '/user/close', await closure(service, alice))
    await service.deposit(alice, 7n)
    const order = { token: service.tokenAddress(), payee: alice.wallet.address }
    const outcome = await executed(decide('POST', `/users/${alice.userId}/payout`, order))
    const withdrawalId = /: payout (\S+) is pending/.exec(outcome)?.[1]
    const early = await decide('POST', `/users/${alice.userId}/erase`)
    expect([early.status, early.body.error.message]).toEqual([400, expect.stringContaining('has not ended')])

    await service.jobs.runDue()
    await service.sandbox('POST', `/withdrawals/${withdrawalId}`, { outcome: 'completed' })
    expect(await executed(decide('POST', `/users/${alice.userId}/erase`))).toBe(`${alice.userId} is erased.`)
    const paid = await service.ctx.db.query('select status from withdrawal where user_id = $1', [alice.userId])
    expect(paid).toEqual([{ status: 'completed' }])
  })

  test('the erasure of a user shows the money that nobody can be paid afterwards', async () => {
    const { alice } = await world({ card: true })
    await alice.ask('POST', '/user/close', await closure(service, alice))
    const look = async () => (await ada.ask('POST', `/users/${alice.userId}/erase`, { reason: 'a look' })).body.state
    expect(await look()).toEqual({ user: 'closed', account: 'closed', left: null })
    await service.deposit(alice, 7n * 10n ** 18n)
    expect(await look()).toMatchObject({ left: expect.stringMatching(/^7\.0+ EURe$/) })
    await service.deposit(alice, 2n * 10n ** 18n, { result: 'rejected' })
    await service.deposit(alice, 10n ** 18n, { result: 'pending' })
    // The advice holds the 7 EURe that are available, and the rest of its hold becomes debt.
    await alice.send('advice', '300')
    expect(await look()).toMatchObject({ left: expect.stringMatching(/^10\.0+ EURe$/) })
  })

  test('the command of an operator for an unknown user gets 404', async () => {
    const { status, body } = await decide('POST', `/users/${randomUUID()}/block`)
    expect([status, body.error]).toEqual([404, 'USER_NOT_FOUND'])
  })
})

describe('work', () => {
  test('an operator returns a refused deposit once', async () => {
    const { alice } = await world()
    const depositId = await alice.deposit(10n ** 19n, { result: 'rejected' })
    expect(await executed(decide('POST', `/deposits/${depositId}/return`))).toMatch(/^10\.0+ EURe go back to 0x/)
    const again = await decide('POST', `/deposits/${depositId}/return`)
    expect([again.status, again.body.kind]).toEqual([400, 'validation'])
    const good = await alice.deposit(10n ** 19n)
    const { status, body } = await decide('POST', `/deposits/${good}/return`)
    expect([status, body.error]).toEqual([409, 'INVALID_DEPOSIT_STATUS'])
  })

  test('an operator cancels a pending payout, and no ended one', async () => {
    const { alice } = await world({ eur: 10 })
    const { withdrawalId } = (await alice.withdraw(10n ** 18n)).body
    expect(await executed(decide('POST', `/payouts/${withdrawalId}/cancel`))).toContain('the user has the money back')
    expect((await decide('POST', `/payouts/${withdrawalId}/cancel`)).body.error.message).toContain(
      'The payout is failed',
    )
    const undecided = await decide('POST', `/payouts/${withdrawalId}/decide`, { decision: 'paid' })
    expect(undecided.body.error.message).toContain('not known to be final and unpaid')
    await alice.assertBooks()
  })

  test('an operator closes a review, which stores the wallet of the operator', async () => {
    const holder = await cardholder()
    await holder.send('authorization', '10.00')
    await holder.send('clearing', '15.00', { final: false })
    const [row] = await service.ctx.db.query<{ id: string }>(
      'select card_transaction_id as id from card_transaction where user_id = $1 and needs_review',
      [holder.userId],
    )
    expect(await executed(decide('POST', `/reviews/${row?.id}/done`))).toBe(`The review of ${row?.id} is closed.`)
    const [review] = await service.ctx.db.query<{ by: string }>('select done_by as by from review where user_id = $1', [
      holder.userId,
    ])
    expect(review?.by).toBe(ada.wallet.address)
    expect((await decide('POST', `/reviews/${row?.id}/done`)).body.error).toBe('REVIEW_NOT_FOUND')
  })

  test('an operator resends the dead letters of an endpoint', async () => {
    const partner = await newPartner(service)
    expect(await executed(decide('POST', `/partners/${partner.partnerId}/approve`))).toContain('active')
    const { endpointId } = await stories.addEndpoint(partner, 'https://127.0.0.1:1/hook')
    await stories.newUserOf(partner)
    await publishOutbox(service.as('worker'))
    await service.ctx.db.query(`update webhook_delivery set status = 'dead', due_at = null where endpoint_id = $1`, [
      endpointId,
    ])
    expect(await executed(decide('POST', `/webhooks/${endpointId}/resend`))).toMatch(
      /^Deliveries of .+ that are due again: [1-9]/,
    )
    await service.ctx.db.query(
      `insert into webhook_delivery (endpoint_id, position, partner_id, type, status, attempts, created_at)
       select $1, 1000 + n, $2, 'user.updated', 'dead', 1, $3 from generate_series(1, 10001) n`,
      [endpointId, partner.partnerId, service.ctx.clock.now()],
    )
    expect(await executed(decide('POST', `/webhooks/${endpointId}/resend`, { reason: 'once more' }))).toBe(
      `Deliveries of ${endpointId} that are due again: 10000. Repeat the command for the rest of the dead letters.`,
    )
    await partner.ask('PATCH', `/webhooks/${endpointId}`, { status: 'disabled' })
    expect((await decide('POST', `/webhooks/${endpointId}/resend`)).body.error).toBe('ENDPOINT_DISABLED')
    expect((await decide('POST', `/webhooks/${randomUUID()}/resend`)).body.error).toBe('ENDPOINT_NOT_FOUND')
  })
})

test('an operator lists partners, domains, signing keys and switches', async () => {
  const partner = await newPartner(service)
  const list = async (path: string) => (await ada.ask('GET', path)).body.data
  expect((await list('/partners')).find((row: any) => row.partnerId === partner.partnerId).status).toBe('pending')
  expect(await list('/switches')).toContainEqual({ name: 'payouts', isOn: true, changedAt: null })
  const [key] = await list('/signing-keys')
  expect(key).toMatchObject({ kid: expect.any(String), retiredAt: null })
  expect(await list('/domains')).toEqual(expect.any(Array))
})

describe('control', () => {
  test('an operator approves and suspends a partner', async () => {
    const { partnerId } = await newPartner(service)
    expect(await executed(decide('POST', `/partners/${partnerId}/approve`))).toContain(`${partnerId}  active`)
    expect(await executed(decide('POST', `/partners/${partnerId}/suspend`))).toContain(`${partnerId}  suspended`)
    expect((await decide('POST', `/partners/${randomUUID()}/approve`)).body.error).toBe('PARTNER_NOT_FOUND')
  })

  test('an operator lets a partner read details, and a repeated decision changes nothing', async () => {
    const { partnerId } = await newPartner(service)
    const grant = (details: string) => decide('POST', `/partners/${partnerId}/details`, { details })
    expect((await grant('off')).status).toBe(400)
    expect(await executed(grant('on'))).toBe(`Partner ${partnerId} may read the details of its users.`)
    expect((await grant('on')).body.error.message).toBe(
      `Access to the details of users is already on for ${partnerId}.`,
    )
    const { data } = (await ada.ask('GET', `/decisions?subject=${partnerId}`)).body
    expect(data.map(({ command }: any) => command)).toEqual(['partner details on'])
  })

  test('an operator adds and removes a sign-in domain', async () => {
    const domain = 'new.programme.example'
    expect(await executed(decide('POST', '/domains', { domain }))).toBe(`${domain} is registered.`)
    expect((await decide('POST', '/domains', { domain })).body.error.message).toBe(`${domain} is already registered.`)
    expect(await executed(decide('DELETE', `/domains/${domain}`))).toBe(`${domain} is removed.`)
  })

  test('an operator rotates and retires signing keys', async () => {
    const { keys } = (await service.request('GET', '/.well-known/jwks.json')).body
    expect(await executed(decide('POST', '/signing-keys/rotate'))).toMatch(/^\S+ {2}signs from /)
    expect((await decide('POST', '/signing-keys/rotate', { reason: 'again' })).body.error.message).toMatch(
      /^\S+ {2}is already published, and signs from /,
    )
    expect(await executed(decide('POST', `/signing-keys/${keys[0].kid}/retire`))).toBe(`${keys[0].kid} is retired.`)
    expect((await decide('POST', '/signing-keys/unknown/retire')).status).toBe(400)
  })

  test('an operator turns the kill switches off and on', async () => {
    for (const name of ['payouts', 'card-approvals']) {
      expect(await executed(decide('POST', `/switches/${name}/off`))).toBe(`The switch ${name} is off.`)
      expect((await decide('POST', `/switches/${name}/off`)).body.error.message).toContain('is already off')
      expect(await executed(decide('POST', `/switches/${name}/on`))).toBe(`The switch ${name} is on.`)
    }
  })

  test('an operator adds, changes and removes an operator', async () => {
    const { address } = newWallet()
    const add = { wallet: address, role: 'viewer', person: 'Carol' }
    expect(await executed(decide('POST', '/operators', add))).toContain('is an operator with the role viewer')
    expect(await executed(decide('PATCH', `/operators/${address}`, { role: 'money' }))).toContain('has the role money')
    expect(await executed(decide('DELETE', `/operators/${address}`))).toContain('is no longer an operator')
    expect((await decide('DELETE', `/operators/${address}`)).body.error).toBe('OPERATOR_NOT_FOUND')
    const contract = `eip155:100:${newWallet().address}`
    await executed(decide('POST', '/operators', { ...add, wallet: contract }))
    const rows = (await ada.ask('GET', '/operators')).body.data
    expect(rows.find((row: any) => contract.endsWith(row.address)).contractChainId).toBe(100)
  })
})
