import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkUser } from '../../src/reconcile/reconcile.ts'
import { type Cardholder, eure, newCardholder } from '../cardholder.ts'
import { startService, type TestService } from '../harness.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ worker: false })
})
afterAll(() => service.stop())

/** A user with a deposit, a hold and a settled payment. */
async function withHistory(): Promise<Cardholder> {
  const holder = await newCardholder(service, { EURe: eure(100) })
  await holder.send('authorization', '10.00')
  await holder.send('clearing', '4.00', { final: false })
  return holder
}

const tampered: [string, string, RegExp][] = [
  ['a changed posting', 'update posting set amount = amount + 1 where user_id = $1 and movement_seq = 2', /^I3: /],
  ['a deleted posting', 'delete from posting where user_id = $1 and movement_seq = 3', /^I3: /],
  [
    'an inserted posting',
    `insert into posting select user_id, movement_seq, 100, token, from_account, to_account, 1
     from posting where user_id = $1 and movement_seq = 3 limit 1`,
    /^I3: /,
  ],
  [
    'an edited balance',
    'update ledger_balance set available = available + 1, chain = chain - 1 where user_id = $1',
    /^I3: available .*|^I7: /,
  ],
  ['a hold that nobody asked for', 'update card_transaction_part set held = held + 1 where user_id = $1', /^I2: held/],
  [
    'an edited statement row',
    `update statement_item set item = replace(item, '"amount":"1000"', '"amount":"900"') where user_id = $1`,
    /^I[78]: /,
  ],
  ['a deleted statement row', 'delete from statement_item where user_id = $1', /^I[78]: /],
]

test.each(tampered)('%s is found', async (_name, statement, problem) => {
  const { user } = await withHistory()
  expect(await checkUser(service.ctx, user.userId)).toEqual([])
  await service.ctx.db.query(statement, [user.userId])
  const problems = await checkUser(service.ctx, user.userId)
  expect(problems.length).toBeGreaterThan(0)
  for (const found of problems) expect(found).toMatch(problem)
})

test('the database itself refuses a balance that does not add up', async () => {
  const { user } = await withHistory()
  const edit = service.ctx.db.query('update ledger_balance set available = available + 1 where user_id = $1', [
    user.userId,
  ])
  await expect(edit).rejects.toMatchObject({ code: '23514' })
})
