import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { factoryAddress, factoryTransaction } from '../../src/lib/deposit-address.ts'
import type { Custody } from '../../src/money/reconcile/custody.ts'
import { checkAll } from '../../src/money/reconcile/reconcile.ts'
import { emptyReport } from '../../src/money/reconcile/report.ts'
import { storeRun } from '../../src/money/reconcile/runs.ts'
import { sealUser } from '../../src/money/reconcile/seals.ts'
import { newOperator, propose, type TestOperator } from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet, startService } from '../support/service.ts'
import { type Person, useWorld } from '../support/world.ts'

const { service, world } = useWorld({ worker: false })
let viewer: TestOperator
let support: TestOperator
let alice: Person

beforeAll(async () => {
  viewer = await newOperator(service, 'viewer')
  support = await newOperator(service, 'support')
  alice = (await world({ eur: 100, card: true })).alice
})

const read = async (path: string) => {
  const { status, body, text } = await viewer.ask('GET', path)
  expect(status, text).toBe(200)
  return body
}
const waiting = async (work: string) => (await read('/overview')).data.find((each: any) => each.work === work)

describe('the overview', () => {
  test('a review appears in the overview and in the list that the overview links to', async () => {
    expect(await waiting('reviews')).toMatchObject({ count: 0, isMore: false, oldestAt: null })
    await alice.send('authorization', '10.00', { authorization_code: 'OVER01' })
    await alice.send('clearing', '30.00', { authorization_code: 'OVER01' })
    const { count, path, oldestAt } = await waiting('reviews')
    expect([count, path]).toEqual([1, '/operator/reviews'])
    const [review] = (await read(path.slice('/operator'.length))).data
    expect(review).toMatchObject({ userId: alice.userId, kind: 'Payment', amount: '3000', createdAt: oldestAt })
    const history = await read(`/users/${alice.userId}/card-transactions/${review.reviewId}`)
    expect(history.messages.at(-1).after).toEqual({ held: '0', settled: '3000' })
    expect(history.needsReview).toBe(true)
  })

  test('the overview and the lists show a deposit that waits for screening and a frozen deposit', async () => {
    await alice.deposit(10n ** 18n, { result: 'pending' })
    await alice.deposit(2n * 10n ** 18n, { result: 'rejected' })
    for (const [state, work, amount] of [
      ['waiting', 'depositsWaiting', 10n ** 18n],
      ['frozen', 'depositsFrozen', 2n * 10n ** 18n],
    ] as const) {
      expect(await waiting(work)).toMatchObject({ count: 1, path: `/operator/deposits?state=${state}` })
      expect((await read(`/deposits?state=${state}`)).data).toEqual([
        expect.objectContaining({ userId: alice.userId, amount: String(amount) }),
      ])
    }
  })

  test('a transfer with an unknown arrival has the name under which an operator declares its arrival', async () => {
    const hash = `0x${'ab'.repeat(32)}`
    await service.ctx.db.query(
      `insert into incoming_transfer (user_id, chain_id, tx_hash, log_position, token, from_address, to_address,
         block_number, block_hash, chain_state, claimed, created_at, updated_at)
       values ($1, 100, $2, 3, $3, $4, $4, 7, $2, 'unfinal', 5, $5, $5)`,
      [alice.userId, hash, service.tokenAddress(), alice.accountAddress, service.ctx.clock.now()],
    )
    expect((await waiting('arrivalsUnknown')).count).toBe(1)
    expect((await read('/deposits?state=untold')).data).toEqual([
      expect.objectContaining({ depositId: null, transfer: `100:${hash}:3`, amount: '5' }),
    ])
  })

  test('an open payout and an unpaid one are in their lists', async () => {
    const { withdrawalId } = (await alice.withdraw(10n ** 18n)).body
    expect((await read('/payouts?state=open')).data.map((payout: any) => payout.withdrawalId)).toEqual([withdrawalId])
    expect((await read('/payouts?state=unpaid')).data).toEqual([])
    await service.ctx.db.query("update withdrawal set unpaid = 'open' where user_id = $1 and withdrawal_id = $2", [
      alice.userId,
      withdrawalId,
    ])
    expect((await waiting('payoutsUnpaid')).count).toBe(1)
    expect((await read('/payouts?state=unpaid')).data[0]).toMatchObject({ withdrawalId, unpaid: 'open' })
    expect((await read('/payouts?state=unassigned')).data).toEqual([])
  })

  test('the overview counts at most 1,000 reviews, and every review is on exactly one page of the list', async () => {
    const db = service.ctx.db
    const [row] = await db.query<Record<string, unknown>>('select * from card_transaction where user_id = $1 limit 1', [
      alice.userId,
    ])
    const columns = Object.keys(row ?? {})
    for (let i = 1; i <= 1001; i++) {
      const copy: Record<string, unknown> = {
        ...{ ...row, card_transaction_id: randomUUID(), authorization_id: 1_000_000 + i },
        ...{ authorization_code: 'MANY', needs_review: true },
      }
      await db.query(
        `insert into card_transaction (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`,
        columns.map((column) => copy[column]),
      )
    }
    expect(await waiting('reviews')).toMatchObject({ count: 1000, isMore: true })
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: any = await read(`/reviews?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.data.map(({ reviewId }: any) => reviewId))
      cursor = page.pagination.nextCursor
    }
    expect([seen.length, new Set(seen).size]).toEqual([1002, 1002])
    await db.query("delete from card_transaction where user_id = $1 and authorization_code = 'MANY'", [alice.userId])
  })

  test('a pending partner and a switch that is off wait for an operator', async () => {
    await newPartner(service)
    await service.ctx.db.query("update partner set status = 'pending'")
    await service.ctx.db.query("update kill_switch set is_on = false where name = 'payouts'")
    expect((await waiting('partnersPending')).count).toBe(1)
    expect(await waiting('switchesOff')).toMatchObject({ count: 1, path: '/operator/switches' })
    expect((await read('/switches')).data).toContainEqual({ name: 'payouts', isOn: false, changedAt: null })
    const turnOff = 'update kill_switch set is_on = false, changed_at = $2 where name = $1'
    await service.ctx.db.query(turnOff, ['payouts', '2026-01-01T00:00:00Z'])
    await service.ctx.db.query(turnOff, ['card-approvals', '2026-01-02T00:00:00Z'])
    expect(await waiting('switchesOff')).toMatchObject({ count: 2, oldestAt: '2026-01-01T00:00:00.000Z' })
    await service.ctx.db.query('update kill_switch set is_on = true, changed_at = null')
  })
})

test('a dead letter is listed with its event', async () => {
  const { db } = service.ctx
  const partner = await newPartner(service)
  const { body } = await partner.ask('POST', '/webhooks', { url: 'http://localhost:9/hook' })
  const now = service.ctx.clock.now()
  await db.query(
    `insert into partner_event (partner_id, position, event_id, type, body, is_test, created_at)
     values ($1, 1, $2, 'test', '{}', false, $3)`,
    [partner.partnerId, randomUUID(), now],
  )
  await db.query(
    `insert into webhook_delivery (endpoint_id, position, partner_id, type, status, attempts, attempted_at, response_status,
       created_at) values ($1, 1, $2, 'test', 'dead', 9, $3, 500, $3)`,
    [body.endpointId, partner.partnerId, now],
  )
  expect((await read('/webhooks/dead')).data).toEqual([
    expect.objectContaining({ endpointId: body.endpointId, type: 'test', attempts: 9, responseStatus: 500 }),
  ])
  expect((await waiting('webhooksDead')).count).toBe(1)
})

test('a partner is shown with its registrations and without secrets', async () => {
  const partner = await newPartner(service)
  const domain = await partner.domain()
  const key = await partner.key('events:read')
  const { status, body, text } = await viewer.ask('GET', `/partners/${partner.partnerId}`)
  expect(status, text).toBe(200)
  expect(body).toMatchObject({ name: 'Example Wallet', members: [{ role: 'owner' }], domains: [{ domain }] })
  expect(body.readsDetails).toBe(false)
  const grant = { command: 'partner details', subject: partner.partnerId, arguments: { details: 'on' } }
  expect((await propose(await newOperator(service, 'admin'), grant)).status).toBe(201)
  expect((await read(`/partners/${partner.partnerId}`)).readsDetails).toBe(true)
  expect(text).not.toContain(key)
  expect((await read('/domains?limit=100')).data).toContainEqual(
    expect.objectContaining({ domain, partnerId: partner.partnerId }),
  )
  expect((await read('/partners?status=active')).data.every((each: any) => each.status === 'active')).toBe(true)
  const unknown = await viewer.ask('GET', `/partners/${randomUUID()}`)
  expect([unknown.status, unknown.body.error]).toEqual([404, 'PARTNER_NOT_FOUND'])
})

test('the signing keys are listed without their private parts', async () => {
  const { data } = await read('/signing-keys')
  expect(data).toEqual([expect.objectContaining({ retiredAt: null })])
  expect(Object.keys(data[0].publicJwk)).not.toContain('d')
  expect(JSON.stringify(data)).not.toContain('ncrypted')
})

test('the progress of a chain and of its payout wallets is shown', async () => {
  const now = service.ctx.clock.now()
  const { db } = service.ctx
  await db.query('insert into watched_chain (chain_id, seen_block, final_block, updated_at) values (5, 20, 10, $1)', [
    now,
  ])
  await db.query("insert into payout_wallet (chain_id, signer, unread_nonce) values (5, '0xabc', 3), (5, '0xbcd', 9)")
  // Purser does not read its own payouts from the chain, because it stores each one before it sends it.
  for (const [signer, nonce] of [
    ['0xabc', 1],
    ['0xbcd', 8],
    ['0xbcd', 11],
    ['0xcde', 4],
  ]) {
    await db.query(
      `insert into payout_transaction (chain_id, signer, nonce, user_id, withdrawal_id, tx_hash, signed_transaction, created_at)
       values (5, $1, $2, $3, $3, '0x1', '0x2', $4)`,
      [signer, nonce, randomUUID(), now],
    )
  }
  expect((await read('/chains')).data).toContainEqual({
    ...{ chainId: 5, seenBlock: '20', finalBlock: '10', isWatched: false, updatedAt: now.toISOString() },
    ...{ treasury: null, factory: null },
    payoutWallets: [
      { address: '0xabc', unreadNonce: '3' },
      { address: '0xbcd', unreadNonce: '12' },
      { address: '0xcde', unreadNonce: '5' },
    ],
  })
})

test('the factory of a chain is shown with the transaction that deploys it', async () => {
  const [treasury, elsewhere] = [newWallet().address, newWallet().address]
  const env = { CHAIN: 'evm', RPC_URL_31337: 'http://127.0.0.1:9', TREASURY_31337: treasury }
  const progress = { chainId: 31337, seenBlock: '2', finalBlock: '1' }
  for (const [more, factory] of [
    [{}, { address: factoryAddress(treasury), deployment: factoryTransaction(factoryAddress(treasury), treasury) }],
    [{ FACTORY_31337: elsewhere }, { address: elsewhere, deployment: null }],
  ] as const) {
    const attached = await startService({ env: { ...env, ...more }, worker: false })
    const { db, clock } = attached.ctx
    await db.query(
      'insert into watched_chain (chain_id, seen_block, final_block, updated_at) values (31337, 2, 1, $1)',
      [clock.now()],
    )
    const { body } = await (await newOperator(attached, 'viewer')).ask('GET', '/chains')
    expect(body.data).toContainEqual(expect.objectContaining({ ...progress, treasury, factory }))
    await attached.stop()
  }
})

describe('the books', () => {
  test('a movement is shown with its cause, postings and seal, and a changed one is not intact', async () => {
    const { userId } = (await world({ eur: 10 }, 'bob')).bob
    const movements = (await read(`/users/${userId}/movements`)).data
    expect(movements.map(({ kind }: any) => kind)).toEqual(['deposit_approved', 'deposit_seen'])
    const path = `/users/${userId}/movements/2`
    expect((await read(path)).seal).toBeNull()
    await sealUser(service.as('worker'), userId)
    const movement = await read(path)
    const [deposit] = (await read(`/users/${userId}/deposits`)).data
    expect(movement).toMatchObject({ seq: '2', cause: { type: 'deposit', id: deposit.depositId } })
    expect(movement.seal).toMatchObject({ firstSeq: '1', lastSeq: '2', isIntact: true })
    expect(movement.postings).toContainEqual(expect.objectContaining({ from: 'deposit_processing', to: 'available' }))
    await service.ctx.db.query('update posting set amount = amount + 1 where user_id = $1 and movement_seq = 2', [
      userId,
    ])
    expect((await read(path)).seal.isIntact).toBe(false)
    for (const seq of ['3', '0', '999999999999999999']) {
      const { status, body } = await viewer.ask('GET', `/users/${userId}/movements/${seq}`)
      expect([status, body.error]).toEqual([404, 'MOVEMENT_NOT_FOUND'])
    }
    for (const seq of ['-1', 'x', '9'.repeat(19)])
      expect((await viewer.ask('GET', `/users/${userId}/movements/${seq}`)).status).toBe(400)
  })

  test('a falsified row is named by the check of the user, and by the stored check of all users', async () => {
    const { userId } = (await world({ eur: 10 }, 'eve')).eve
    const check = async (operator: TestOperator) => operator.ask('POST', `/reconciliation/users/${userId}`)
    const clean = await check(support)
    expect([clean.status, clean.body.badRows]).toEqual([200, []])
    expect((await check(viewer)).body.error).toBe('ROLE_NOT_PERMITTED')
    await service.ctx.db.query(
      'update ledger_balance set available = available + 1, chain = chain - 1 where user_id = $1',
      [userId],
    )
    const { badRows } = (await check(support)).body
    expect(badRows).toContainEqual(expect.objectContaining({ table: 'ledger_balance' }))
    const { body } = await support.ask('POST', `/reconciliation/users/${randomUUID()}`)
    expect(body.error).toBe('USER_NOT_FOUND')

    const startedAt = service.ctx.clock.now()
    const report = await checkAll(service.as('worker'))
    await storeRun(service.as('worker'), startedAt, report, null)
    const [run] = (await read('/reconciliation?limit=1')).data
    expect(run).toMatchObject({ isClean: false, users: report.users, custody: null })
    expect(run.firstBadRows).toContainEqual(expect.objectContaining({ userId, table: 'ledger_balance' }))
    expect(run.totals[0].accounts.available).toMatch(/^[0-9]+$/)
    expect(await waiting('badRows')).toMatchObject({ count: report.badRows, oldestAt: startedAt.toISOString() })
  })

  test('a custody shortfall makes a check unclean, and the overview counts it', async () => {
    const store = async (custody: readonly Custody[] | null) => {
      const startedAt = service.ctx.clock.now()
      await storeRun(service.as('worker'), startedAt, { ...emptyReport, users: 3 }, custody)
      return (await read('/reconciliation?limit=1')).data[0]
    }
    const token = service.tokenAddress()
    const full = { chainId: 31337, token, block: 9, books: 5n, maxOutgoing: 1n, wallets: 4n, depositAddresses: 2n }
    const enough: Custody = { ...full, surplus: 1n, isShort: false }
    const short: Custody = { ...full, wallets: 1n, surplus: -2n, isShort: true }
    const texts = { chainId: 31337, token, block: 9, books: '5', maxOutgoing: '1', depositAddresses: '2' }
    expect(await store([enough])).toMatchObject({
      ...{ isClean: true, custody: [{ ...texts, wallets: '4', surplus: '1', isShort: false }] },
    })
    expect((await waiting('badRows')).count).toBe(0)
    expect(await store([enough, short])).toMatchObject({
      ...{ isClean: false, badRows: 0 },
      custody: [{ isShort: false }, { ...texts, wallets: '1', surplus: '-2', isShort: true }],
    })
    expect(await waiting('badRows')).toMatchObject({ count: 1, path: '/operator/reconciliation' })
  })

  test('the ledger accounts of a user add up to zero', async () => {
    const [accounts] = (await read(`/users/${alice.userId}/ledger-accounts`)).data
    expect(accounts).toMatchObject({ symbol: expect.any(String), decimals: 18 })
    const sum = Object.values<string>(accounts.accounts).reduce((total, amount) => total + BigInt(amount), 0n)
    expect(sum).toBe(0n)
  })
})
