import { expect, test } from 'vitest'
import { testMarker } from '../support/run/statement-rules.ts'
import type { TestUser } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

const { service, world } = useWorld({ worker: false })

const list = async (path: string, { token }: TestUser): Promise<any[]> =>
  (await service.request('GET', path, { token })).body.data

/** Exceeds the number of rows that a list returns. Rows are numbered from 1; only the last two share a time. */
const many = 1003
const instant = `timestamptz '2026-01-31T09:30:00Z' + least(n, ${many - 1}) * interval '1 s'`
const id = `('01a1fc4e-f39c-748a-b04f-' || lpad(n::text, 12, '0'))::uuid`
const hash = `'0x' || lpad(n::text, 64, '0')`
const numberOf = ({ txHash }: { txHash: string }) => Number(txHash.slice(2))
const newest = Array.from({ length: 1000 }, (_, index) => many - index)

test('the deposit list contains the newest thousand deposits and orders ties by id', async () => {
  const user = await service.newUser()
  await service.ctx.db.query(
    `${testMarker}
     insert into deposit (user_id, deposit_id, chain_id, tx_hash, log_position, token, amount, from_address, status,
       chain_state, screening, created_at, updated_at)
     select $1, ${id}, 31337, ${hash}, 0, $2, n, $2, 'approved', 'final', 'approved', ${instant}, ${instant}
     from generate_series(1, ${many}) n`,
    [user.userId, service.ctx.config.tokens[0]?.address],
  )
  const deposits = await list('/user/deposits', user)
  expect(deposits.map(numberOf)).toEqual(newest)
})

test('the withdrawal list contains the newest thousand withdrawals and orders ties by id', async () => {
  const user = await service.newUser()
  await service.ctx.db.query(
    `${testMarker}
     insert into withdrawal (user_id, withdrawal_id, chain_id, token, amount, to_address, status, tx_hash,
       payout_signer, payout_nonce, created_at, updated_at)
     select $1, ${id}, 31337, $2, n, $2, 'completed', ${hash}, $2, n, ${instant}, ${instant}
     from generate_series(1, ${many}) n`,
    [user.userId, service.ctx.config.tokens[0]?.address],
  )
  const withdrawals = await list('/user/withdrawals', user)
  expect(withdrawals.map(numberOf)).toEqual(newest)
})

test('the card list begins with the newest card', async () => {
  const { alice } = await world({ card: true })
  const body = { cardName: 'Second' }
  const second = await service.request('POST', '/cards/virtual', { token: alice.token, body })
  const cards = await list('/cards', alice)
  expect(cards.map((card) => card.cardId)).toEqual([second.body.cardId, alice.cardId])
})
