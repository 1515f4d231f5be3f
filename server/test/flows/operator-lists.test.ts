import { randomUUID } from 'node:crypto'
import { type Hex, serializeTransaction } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { idOfName, newId } from '../../src/lib/id.ts'
import { payoutCall } from '../../src/providers/chain/payout-call.ts'
import { newOperator, type TestOperator } from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet, startService, useService } from '../support/service.ts'

/** Lists and counts that operators read, with more rows than one page. */
const service = useService({ worker: false })
let admin: TestOperator
beforeAll(async () => {
  admin = await newOperator(service, 'admin')
})

const read = async (path: string) => {
  const { status, body, text } = await admin.ask('GET', path)
  expect(status, text).toBe(200)
  return body
}
const waiting = async (work: string) => (await read('/overview')).data.find((each: any) => each.work === work)

/** Returns all rows of a list, page by page, and checks that each page but the last is full. */
async function readAll(path: string, limit: number): Promise<any[]> {
  const rows: any[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: any = await read(
      `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`,
    )
    rows.push(...page.data)
    cursor = page.pagination.nextCursor
    expect(page.pagination.hasNext).toBe(cursor !== null)
    if (cursor !== null) expect(page.data).toHaveLength(limit)
  }
  return rows
}

test('the overview shows the oldest of 1,001 dead letters, even if its endpoint has the highest id', async () => {
  const { partnerId } = await newPartner(service)
  const { db, clock } = service.ctx
  const now = clock.now()
  await db.query(
    `insert into partner_event (partner_id, position, event_id, type, body, is_test, created_at)
     select $1, n, id, 'test', '{}', false, $2 from unnest($3::uuid[]) with ordinality as e (id, n)`,
    [partnerId, now, Array.from({ length: 1001 }, () => randomUUID())],
  )
  const oldest = new Date(now.getTime() - 3_600_000)
  for (const [endpointId, first, last, at] of [
    [`00000000-${randomUUID().slice(9)}`, 1, 1000, now],
    [`ffffffff-${randomUUID().slice(9)}`, 1001, 1001, oldest],
  ] as const) {
    await db.query(
      `insert into webhook_endpoint (endpoint_id, partner_id, url, events, description, status, key_seeds, created_at)
       values ($1, $2, 'https://127.0.0.1:1/hook', '{*}', '', 'enabled', '{x}', $3)`,
      [endpointId, partnerId, now],
    )
    await db.query(
      `insert into webhook_delivery (endpoint_id, position, partner_id, type, status, attempts, attempted_at, created_at)
       select $1, n, $2, 'test', 'dead', 9, $5, $5 from generate_series($3::int, $4::int) as n`,
      [endpointId, partnerId, first, last, at],
    )
  }
  expect(await waiting('webhooksDead')).toMatchObject({ count: 1000, isMore: true, oldestAt: oldest.toISOString() })
})

test('the overview shows the age of a dead letter that was never sent', async () => {
  const here = await startService({ worker: false })
  const partner = await newPartner(here)
  const { endpointId } = (await partner.ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/' })).body
  await partner.ask('POST', `/webhooks/${endpointId}/test`, { type: 'account.created' })
  expect((await partner.ask('PATCH', `/webhooks/${endpointId}`, { status: 'disabled' })).status).toBe(200)
  const { data } = (await (await newOperator(here, 'admin')).ask('GET', '/overview')).body
  expect(data.find(({ work }: any) => work === 'webhooksDead')).toMatchObject({
    count: 1,
    oldestAt: expect.any(String),
  })
  await here.stop()
})

test('payouts of unknown users are on exactly one page each, and returns of deposits are not among them', async () => {
  const { db, clock } = service.ctx
  const payee = newWallet().address
  const now = clock.now()
  const signed = (withdrawalId: string, nonce: number): Hex => {
    const data = payoutCall({ toAddress: payee, amount: 5n, withdrawalId })
    return serializeTransaction({ chainId: 100, nonce, to: service.tokenAddress() as Hex, data, type: 'eip1559' })
  }
  const insert = (withdrawalId: string, nonce: number, needsUser = true) => {
    const hash = `0x${String(nonce).padStart(64, '0')}`
    return db.query(
      `insert into payout_transaction (chain_id, signer, nonce, withdrawal_id, needs_user, tx_hash, signed_transaction, created_at)
       values (100, $1, $2, $3, $4, $5, $6, $7)`,
      [payee, nonce, withdrawalId, needsUser, hash, signed(withdrawalId, nonce), now],
    )
  }
  await insert(idOfName('a return'), 1, false)
  expect(await waiting('payoutsUnassigned')).toMatchObject({ count: 0, oldestAt: null })
  const ids = Array.from({ length: 5 }, () => newId(now))
  for (const [i, id] of ids.entries()) await insert(id, i + 2)
  // The same withdrawal was signed again after a restore.
  await insert(ids[0] ?? '', 7)
  expect(await waiting('payoutsUnassigned')).toMatchObject({ count: 6, oldestAt: now.toISOString() })
  const rows = await readAll('/payouts?state=unassigned', 2)
  // Only payouts that are in a block are recovered.
  expect(rows.every(({ isMined }) => isMined)).toBe(true)
  expect(rows.map(({ nonce }) => nonce).toSorted()).toEqual(['2', '3', '4', '5', '6', '7'])
  expect(rows[0]).toMatchObject({ userId: null, withdrawalId: ids.toSorted()[0], toAddress: payee, amount: '5' })
})

test('every operator is on exactly one page of the list, the removed ones last', async () => {
  const roles = ['viewer', 'support', 'money'] as const
  const others = await Promise.all(roles.map((role) => newOperator(service, role)))
  const removed = others[0]?.wallet.address
  await service.ctx.db.query('update operator set removed_at = $2 where address = $1', [
    removed,
    service.ctx.clock.now(),
  ])
  const addresses = (await readAll('/operators', 1)).map(({ address }) => address)
  expect(addresses.at(-1)).toBe(removed)
  expect(addresses.toSorted()).toEqual([admin, ...others].map(({ wallet }) => wallet.address).toSorted())
  const bad = await admin.ask('GET', '/operators?cursor=x')
  expect([bad.status, bad.body.error]).toEqual([400, 'INVALID_CURSOR'])
})

test('every open session is on exactly one page of the list, newest first', async () => {
  const sessions = await readAll('/sessions', 1)
  const ids = sessions.map(({ sessionId }) => sessionId)
  expect(ids).toEqual(ids.toSorted().toReversed())
  const [row] = await service.ctx.db.query<{ open: bigint }>('select count(*) as open from operator_session')
  expect(BigInt(new Set(ids).size)).toBe(row?.open)
  const own = await newOperator(service, 'viewer')
  const seen = await own.ask('GET', '/sessions?limit=1')
  expect(seen.body.data.map(({ address }: any) => address)).toEqual([own.wallet.address])
  const bad = await own.ask('GET', '/sessions?cursor=x')
  expect([bad.status, bad.body.error]).toEqual([400, 'INVALID_CURSOR'])
})
