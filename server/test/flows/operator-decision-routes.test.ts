import { randomUUID } from 'node:crypto'
import { type Hex, serializeTransaction } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { type OperatorCommand, operatorCommands } from '../../src/config/operators.ts'
import { newId } from '../../src/lib/id.ts'
import { decisionRouteTable } from '../../src/operators/decision-route-table.ts'
import { payoutCall } from '../../src/providers/chain/payout-call.ts'
import { closure } from '../acceptance/client.ts'
import { fromConsole, newOperator, signDecision, type TestOperator } from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet, type Reply } from '../support/service.ts'
import { type Person, useWorld } from '../support/world.ts'

/**
 * Two people must sign here, so a route makes a proposal and changes nothing. `operator change` and `operator remove`
 * need one signature, because only their execution finds that the operator does not exist.
 */
const policies = {
  ...Object.fromEntries(Object.keys(operatorCommands).map((command) => [command, 'two'])),
  ...{ 'operator change': 'one', 'operator remove': 'one' },
}
const { service, cardholder } = useWorld({ env: { OPERATOR_POLICIES: JSON.stringify(policies) }, worker: false })
let [ada, bob, viewer] = [{} as TestOperator, {} as TestOperator, {} as TestOperator]
let alice = {} as Person
let partnerId = ''
let operations: Record<string, Record<string, { responses: Record<string, unknown> }>> = {}

beforeAll(async () => {
  ada = await newOperator(service, 'admin')
  bob = await newOperator(service, 'admin')
  viewer = await newOperator(service, 'viewer')
  alice = await cardholder()
  partnerId = (await newPartner(service)).partnerId
  operations = (await service.request('GET', '/operator/openapi.json')).body.paths
})

const hash = `0x${'7'.repeat(64)}`

async function refusedDeposit(): Promise<string> {
  return alice.deposit(10n ** 18n, { result: 'rejected' })
}

async function undeclaredTransfer(position = 3): Promise<string> {
  await service.ctx.db.query(
    `insert into watched_chain (chain_id, seen_block, final_block, updated_at) values (100, 9, 9, $1)
     on conflict (chain_id) do nothing`,
    [service.ctx.clock.now()],
  )
  await service.ctx.db.query(
    `insert into incoming_transfer (user_id, chain_id, tx_hash, log_position, token, from_address, to_address,
       block_number, block_hash, chain_state, claimed, created_at, updated_at)
     values ($1, 100, $2, $6, $3, $4, $4, 7, $2, 'unfinal', 5, $5, $5)`,
    [alice.userId, hash, service.tokenAddress(), alice.accountAddress, service.ctx.clock.now(), position],
  )
  return `100:${hash}:${position}`
}

const [token] = readConfig({ CHAIN: 'simulated' }).tokens
const closedOwner = newWallet()

async function closedWithMoney(): Promise<string> {
  const { userId } = (await service.sandbox('POST', '/users', { address: closedOwner.address })).body
  const user = { userId, wallet: closedOwner, token: await service.signIn(closedOwner) }
  await service.request('POST', '/user/close', { token: user.token, body: await closure(service, user) })
  await service.deposit(user, 10n ** 18n)
  return userId
}

async function pendingPayout(): Promise<string> {
  return (await alice.withdraw(10n ** 18n)).body.withdrawalId
}

async function unassignedPayout(): Promise<string> {
  const [signer, withdrawalId] = [newWallet().address, newId(service.ctx.clock.now())]
  const data = payoutCall({ toAddress: signer, amount: 5n, withdrawalId })
  const to = service.tokenAddress() as Hex
  const transaction = serializeTransaction({ chainId: 100, nonce: 1, to, data, type: 'eip1559' })
  await service.ctx.db.query(
    `insert into payout_transaction (chain_id, signer, nonce, withdrawal_id, needs_user, tx_hash, signed_transaction, created_at)
     values (100, $1, 1, $2, true, $3, $4, $5)`,
    [signer, withdrawalId, hash, transaction, service.ctx.clock.now()],
  )
  return withdrawalId
}

async function openReview(): Promise<string> {
  await alice.send('authorization', '10.00')
  await alice.send('clearing', '15.00', { final: false })
  const [row] = await service.ctx.db.query<{ id: string }>(
    'select card_transaction_id as id from card_transaction where user_id = $1 and needs_review',
    [alice.userId],
  )
  return row?.id ?? ''
}

async function endpoint(): Promise<string> {
  const partner = await newPartner(service)
  return (await partner.ask('POST', '/webhooks', { url: 'http://localhost:9/hook' })).body.endpointId
}

const userId = async () => alice.userId
const partner = async () => partnerId
const operator = async () => (await newOperator(service, 'viewer')).wallet.address
const none = async () => ''

/** The subject of each command, and its arguments. A new command needs an entry. */
const requests: Readonly<Record<OperatorCommand, { subject: () => Promise<string>; body?: object }>> = {
  'user block': { subject: userId },
  'user unblock': { subject: userId },
  'user erase': { subject: userId },
  'deposits return': { subject: refusedDeposit },
  'transfers tell': { subject: () => undeclaredTransfer(), body: { amount: '0' } },
  'payouts order': { subject: closedWithMoney, body: { token: token?.address, payee: closedOwner.address } },
  'payouts decide': { subject: pendingPayout, body: { decision: 'paid' } },
  'payouts cancel': { subject: pendingPayout },
  'payouts assign': { subject: unassignedPayout, body: { userId: '' } },
  'reviews done': { subject: openReview },
  'webhooks resend': { subject: endpoint },
  'partner approve': { subject: partner },
  'partner suspend': { subject: partner },
  'partner details': { subject: partner, body: { details: 'on' } },
  'domain add': { subject: none, body: { domain: 'app.example.com' } },
  'domain remove': { subject: async () => 'app.example.com' },
  'keys rotate': { subject: none },
  'keys retire': { subject: async () => 'a-key' },
  'switch payouts off': { subject: none },
  'switch payouts on': { subject: none },
  'switch card-approvals off': { subject: none },
  'switch card-approvals on': { subject: none },
  'operator add': { subject: none, body: { wallet: newWallet().address, role: 'viewer', person: 'Eve' } },
  'operator change': { subject: operator, body: { role: 'support' } },
  'operator remove': { subject: operator },
}

/**
 * Returns the body with the signature of an operator, over the prepared decision or over one that expires at another
 * time.
 */
async function signedBy({ wallet }: TestOperator, body: object, { body: prepared }: Reply, expires?: number) {
  const { typedData, stateHash } = prepared
  const message = expires === undefined ? typedData.message : { ...typedData.message, expires: String(expires) }
  const signature = await signDecision(wallet, { ...typedData, message })
  return { ...body, signed: { stateHash, expires: expires ?? prepared.expires, signature } }
}

test.each(decisionRouteTable)('$route returns every documented status except 429 and 502', async (row) => {
  const [method = '', template = ''] = row.route.split(' ')
  const declared = operations[`/operator${template.replaceAll(/:(\w+)/g, '{$1}')}`]?.[method.toLowerCase()]?.responses
  const { subject, body: given = {} } = requests[row.command]
  const named = await subject()
  const body = { reason: 'a test', ...given, ...('userId' in given ? { userId: alice.userId } : {}) }
  const path = template.replace(/:\w+/, named)

  const seen: Record<string, Reply> = {}
  const see = (reply: Reply) => {
    seen[reply.status] = reply
    return reply
  }
  const prepared = see(await ada.ask(method, path, body))
  expect(prepared.status, prepared.text).toBe(200)
  expect(prepared.body.typedData.message.command).toContain(row.command)
  const signed = await signedBy(ada, body, prepared)
  const proposed = see(await ada.ask(method, path, signed))
  expect(proposed.body).toMatchObject({ command: row.command, proposedBy: ada.wallet.address })
  const signedTwice = await signedBy(bob, body, prepared)
  expect(see(await bob.ask(method, path, signedTwice)).body.error).toBe('DECISION_USED')
  expect(see(await ada.ask(method, path, signedTwice)).body.error).toBe('DECISION_NOT_SIGNED')
  const expired = see(await ada.ask(method, path, await signedBy(ada, body, prepared, 1)))
  expect(expired.body.error).toBe('DECISION_EXPIRED')

  see(await ada.ask(method, path, { ...body, reason: '' }))
  expect((await viewer.ask(method, path, body)).body.error).toBe('ROLE_NOT_PERMITTED')
  see(await service.request(method, `/operator${path}`, { body }))
  const cookie = `purser-operator=pso_${'a'.repeat(43)}`
  const headers = { ...fromConsole, origin: 'https://evil.example', cookie }
  see(await service.request(method, `/operator${path}`, { headers, body }))
  if (row.errors.some((code) => code.endsWith('_NOT_FOUND'))) {
    const unknown = 'userId' in given ? named : row.command.startsWith('operator') ? newWallet().address : randomUUID()
    const [nowhere, wrong] = [template.replace(/:\w+/, unknown), { ...body, userId: randomUUID() }]
    let missing = await ada.ask(method, nowhere, wrong)
    if (missing.status === 200) missing = await ada.ask(method, nowhere, await signedBy(ada, wrong, missing))
    expect(row.errors).toContain(see(missing).body.error)
  }
  // `operator-limits.test.ts` causes the status 429, and `operator-contracts.test.ts` the status 502.
  const statuses = Object.keys(declared ?? {}).filter((status) => status !== '429' && status !== '502')
  expect(Object.keys(seen).toSorted()).toEqual(statuses.toSorted())
})

test('an upper-case user id is accepted by the route of a decision and by the proposals', async () => {
  const payoutId = await unassignedPayout()
  const userId = alice.userId.toUpperCase()
  const proposal = { command: 'payouts assign', subject: payoutId, arguments: { userId }, reason: 'a test' }
  const replies = [
    await ada.ask('POST', '/proposals', proposal),
    await ada.ask('POST', `/payouts/${payoutId}/assign`, { userId, reason: 'a test' }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([200, 200])
})

test('a preview of a decision about a transfer does not count as progress of the chain', async () => {
  const updatedAt = '2026-01-01T00:00:00.000Z'
  const transfer = await undeclaredTransfer(4)
  await service.ctx.db.query('update watched_chain set updated_at = $1 where chain_id = 100', [updatedAt])
  const body = { reason: 'a test', amount: '0' }
  expect((await ada.ask('POST', `/transfers/${transfer}/tell`, body)).status).toBe(200)
  expect((await ada.ask('GET', '/chains')).body.data).toMatchObject([{ chainId: 100, updatedAt }])
})
