import { createSecretKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { chainStart, sealMovements } from '../../src/money/reconcile/hash-chain.ts'
import { checkAll, checkUser } from '../../src/money/reconcile/reconcile.ts'
import { readMovements, sealDue, sealEverySeconds, sealUser } from '../../src/money/reconcile/seals.ts'
import { eure, type Person, useWorld } from '../support/world.ts'

// Without a worker, each test decides when the books are sealed.
const { service, world } = useWorld({ worker: false })

const query = <Row>(text: string, userId: string) => service.ctx.db.query<Row>(text, [userId])

/** Returns a user with a deposit (movements 1 and 2), a hold of 10 (3) and a settled part of 4 (4). */
async function withHistory(): Promise<Person> {
  const { alice: holder } = await world({ eur: 100, card: true })
  await holder.send('authorization', '10.00')
  await holder.send('clearing', '4.00', { final: false })
  return holder
}

async function withSealedHistory(): Promise<string> {
  const user = await withHistory()
  await sealUser(service.ctx, user.userId)
  expect(await checkUser(service.ctx, user.userId)).toEqual([])
  return user.userId
}

async function sealsOf(userId: string) {
  return query<{ first: bigint; last: bigint }>(
    'select first_seq as first, last_seq as last from movement_seal where user_id = $1 order by first_seq',
    userId,
  )
}

type Tampering = [string, string[], { table: string; key: string | RegExp; wrong: RegExp }]

const movement4 = { table: 'movement, posting', key: 'movement 4', wrong: /^I6: it or its postings differ from what/ }
const item = { table: 'card_transaction_part, deposit, withdrawal' }
const transaction = { table: 'card_transaction', key: /^[0-9a-f-]{36}$/ }
const insertPosting = `-- by a test
  insert into posting (user_id, movement_seq, line, token, from_account, to_account, amount)
  select user_id, movement_seq, 100, token, from_account, to_account, 1
  from posting where user_id = $1 and movement_seq = 4 limit 1`
const deleteMovement = (condition: string) => [
  `delete from posting where user_id = $1 and movement_seq ${condition}`,
  `delete from movement where user_id = $1 and seq ${condition}`,
]

describe('tampering by an insider with access to the database', { tags: ['fault-20'] }, () => {
  const tampered: Tampering[] = [
    [
      'a changed posting',
      ['update posting set amount = amount + 1 where user_id = $1 and movement_seq = 4'],
      movement4,
    ],
    [
      'a changed posting with a matching balance',
      [
        'update posting set amount = amount - 1 where user_id = $1 and movement_seq = 4',
        'update ledger_balance set held = held + 1, network = network - 1 where user_id = $1',
      ],
      movement4,
    ],
    ['a deleted posting', ['delete from posting where user_id = $1 and movement_seq = 4'], movement4],
    ['an inserted posting', [insertPosting], movement4],
    [
      'a movement of a changed kind',
      [`update movement set kind = 'card_refund' where user_id = $1 and seq = 4`],
      { ...movement4, wrong: /^I6: .* It is now card_refund of [0-9a-f-]{36} at \d{4}-.* with 1 posting\(s\) 1: / },
    ],
    [
      'a movement moved by a microsecond',
      [
        // A cluster updates a column only with functions that never depend on a setting such as the time zone.
        `update movement set created_at = (created_at at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'
         where user_id = $1 and seq = 4`,
      ],
      movement4,
    ],
    [
      'a deleted movement',
      deleteMovement('= 3'),
      { table: 'movement', key: 'movement 3', wrong: /^I6: missing, but sealed at \d{4}-/ },
    ],
    [
      'all movements deleted from the third on',
      deleteMovement('>= 3'),
      { table: 'movement', key: 'movements 3 to 7', wrong: /^I6: missing, but sealed at / },
    ],
    [
      'a movement inserted before the first',
      [
        `-- by a test
         insert into movement (user_id, seq, kind, ref_id, created_at)
         select user_id, 0, kind, ref_id, created_at from movement where user_id = $1 and seq = 1`,
      ],
      {
        table: 'movement',
        key: 'movement 0',
        wrong: /^I6: it is not sealed, but later movements are\. It is deposit_seen of/,
      },
    ],
    [
      'a deleted seal',
      ['delete from movement_seal where user_id = $1 and first_seq = 1'],
      {
        table: 'movement_seal',
        key: 'movements 5 to 7',
        wrong: /^I6: the preceding seal, which begins with movement 1, is missing/,
      },
    ],
    [
      'a changed balance',
      ['update ledger_balance set available = available + 1, chain = chain - 1 where user_id = $1'],
      {
        table: 'ledger_balance',
        key: /^token 0x/,
        wrong: /^I3: available is 90000000000000000001, but its postings add up to 90000000000000000000$/,
      },
    ],
    [
      'an increased hold',
      ['update card_transaction_part set held = held + 1 where user_id = $1'],
      {
        ...item,
        key: /^[0-9a-f-]{36}, held of token 0x/,
        wrong: /^I2: the item has \d+1, but its postings add up to \d+0$/,
      },
    ],
    [
      'an increased settled amount',
      ['update card_transaction_part set settled = settled + 1 where user_id = $1'],
      { ...item, key: /^[0-9a-f-]{36}, network of token 0x/, wrong: /^I2: the item has \d+1, but its postings/ },
    ],
    [
      'a rejected deposit falsely marked as returned',
      [`update deposit set return_state = 'returned' where user_id = $1 and screening = 'rejected'`],
      {
        ...item,
        key: /^[0-9a-f-]{36}, frozen of token 0x/,
        wrong: /^I2: the item has 0, but its postings add up to 7$/,
      },
    ],
    [
      'a card message with a changed amount',
      [`update card_message set amount_minor = amount_minor - 1 where user_id = $1 and type = 'clearing'`],
      {
        ...transaction,
        wrong:
          /^I8: its messages give pending 1000, 601 held, 399 settled, .*, but it is pending 1000, 600 held, 400 settled/,
      },
    ],
    [
      'a deleted card message',
      [`delete from card_message where user_id = $1 and type = 'clearing'`],
      { ...transaction, wrong: /^I8: its messages give pending 1000, 1000 held, 0 settled, cleared never, but it is/ },
    ],
    [
      'a reduced card transaction with a matching statement item',
      [
        'update card_transaction set amount_minor = 900 where user_id = $1',
        `update statement_item set item = replace(item, '"1000"', '"900"') where user_id = $1`,
      ],
      { ...transaction, wrong: /^I8: its messages give pending 1000, .*, but it is pending 900, / },
    ],
    [
      'an edited statement item',
      [`update statement_item set item = replace(item, '"amount":"1000"', '"amount":"900"') where user_id = $1`],
      {
        table: 'statement_item',
        key: /^\d{4}-.*Z [0-9a-f-]{36}$/,
        wrong: /^I8: the facts give .*"1000".*, but it is .*"900"/,
      },
    ],
    [
      'a deleted statement item',
      ['delete from statement_item where user_id = $1'],
      {
        table: 'statement_item',
        key: /^\d{4}-.*Z [0-9a-f-]{36}$/,
        wrong: /^I8: it is missing, but the facts require it/,
      },
    ],
    [
      'an invented statement item',
      [
        `-- by a test
         insert into statement_item (user_id, created_at, item_id, item)
         select user_id, created_at + interval '1 day', item_id, item
         from statement_item where user_id = $1 limit 1`,
      ],
      { table: 'statement_item', key: /^\d{4}-/, wrong: /^I8: it exists, but no fact explains it/ },
    ],
    [
      'an unreadable statement item',
      [`update statement_item set item = 'gone' where user_id = $1`],
      { table: 'statement_item', key: /^\d{4}-/, wrong: /^I8: .* it is gone$/ },
    ],
    [
      'an amount that is not a number',
      [`update posting set amount = 'NaN' where user_id = $1 and movement_seq = 4`],
      { table: 'any', key: 'any', wrong: /cannot be parsed: SyntaxError/ },
    ],
  ]

  test.each(tampered)('the check reports %s as the first bad row', async (_name, statements, { key, wrong, table }) => {
    const userId = await withSealedHistory()
    for (const result of ['rejected', 'pending']) {
      const token = service.ctx.config.tokens[0]?.address
      await service.sandbox('POST', '/deposits', { userId, token, amount: '7', result })
    }
    await sealUser(service.ctx, userId)
    expect(await checkUser(service.ctx, userId)).toEqual([])
    for (const statement of statements) await query(statement, userId)
    const [first] = await checkUser(service.ctx, userId)
    expect(first).toEqual({
      table,
      key: typeof key === 'string' ? key : expect.stringMatching(key),
      wrong: expect.stringMatching(wrong),
    })
  })

  test('the check reports a hash chain of movements that was rewritten completely without the key', async () => {
    const userId = await withSealedHistory()
    await query(`update movement set kind = 'card_refund' where user_id = $1 and seq = 2`, userId)
    const { movements } = await readMovements(service.ctx.db, userId, 0n, 100)
    const forged = sealMovements([createSecretKey(Buffer.alloc(32, 1))], userId, chainStart, movements, new Date())
    await service.ctx.db.query(
      'update movement_seal set hashes = $2, mac = $3, sealed_at = $4 where user_id = $1 and first_seq = 1',
      [userId, forged.hashes, forged.mac, forged.sealedAt],
    )
    expect(await checkUser(service.ctx, userId)).toEqual([
      { table: 'movement_seal', key: 'movements 1 to 4', wrong: expect.stringMatching(/not computed with SECRET/) },
    ])
  })

  test('the check reports unsealed movements that were changed or deleted', async () => {
    const user = await withHistory()
    await query('update posting set amount = amount + 1 where user_id = $1 and movement_seq = 4', user.userId)
    expect(await checkUser(service.ctx, user.userId)).toEqual([
      expect.objectContaining({ wrong: expect.stringMatching(/^I3: held is/) }),
      expect.objectContaining({ wrong: expect.stringMatching(/^I3: network is/) }),
      expect.objectContaining({ wrong: expect.stringMatching(/^I2: the item has/) }),
      expect.objectContaining({ wrong: expect.stringMatching(/^I2: the item has/) }),
    ])
    await query('delete from posting where user_id = $1 and movement_seq = 3', user.userId)
    await query('delete from movement where user_id = $1 and seq = 3', user.userId)
    const [first] = await checkUser(service.ctx, user.userId)
    expect(first).toEqual({ table: 'movement', key: 'movement 3', wrong: 'I6: missing' })
  })

  test('the check reports two offsetting changes to deposits and their statement items', async () => {
    const user = await withHistory()
    await user.deposit(eure(50))
    for (const [from, to] of [
      [eure(100), eure(101)],
      [eure(50), eure(49)],
    ]) {
      const values = [user.userId, from, to]
      await service.ctx.db.query('update deposit set amount = $3 where user_id = $1 and amount = $2', values)
      const edit = 'update statement_item set item = replace(item, $2::text, $3::text) where user_id = $1'
      await service.ctx.db.query(edit, [user.userId, `"${from}"`, `"${to}"`])
    }
    expect((await checkUser(service.ctx, user.userId)).map(({ table, wrong }) => `${table}: ${wrong}`)).toEqual([
      'statement_item: I7: it shows 101, but its postings add up to 100',
      'statement_item: I7: it shows 49, but its postings add up to 50',
    ])
  })

  test('the database rejects a balance that does not add up to zero', async () => {
    const user = await withHistory()
    const edit = query('update ledger_balance set available = available + 1 where user_id = $1', user.userId)
    await expect(edit).rejects.toMatchObject({ code: '23514' })
  })
})

describe('a check of all users', () => {
  test('a check of all users rests after each group of users, and can be stopped meanwhile', async () => {
    for (let i = 0; i < 3; i++) await withHistory()
    const worked: number[] = []
    const rest = async (milliseconds: number) => void worked.push(milliseconds)
    const { users } = await checkAll(service.ctx, { concurrency: 2, rest })
    expect(worked).toHaveLength(Math.ceil(users / 2))
    for (const milliseconds of worked) expect(milliseconds).toBeGreaterThan(0)

    const stop = new AbortController()
    const stopped = checkAll(service.ctx, { rest: async () => stop.abort(), signal: stop.signal })
    await expect(stopped).rejects.toThrow('aborted')
  })
})

describe('sealing of movements', () => {
  test('concurrent processes seal every movement exactly once', async () => {
    expect(sealEverySeconds).toBeLessThanOrEqual(60)
    const holders = [await withHistory(), await withHistory()]
    await Promise.all(Array.from({ length: 5 }, () => sealDue({ ...service.ctx })))
    for (const user of holders) expect(await sealsOf(user.userId)).toEqual([{ first: 1n, last: 4n }])
    const [holder] = holders
    if (!holder) throw new Error('no user')

    // After its first round, a process looks only at users with recent movements.
    const round = () => sealDue(service.ctx)
    await round()
    await holder.send('clearing', '1.00', { final: false })
    await holder.send('clearing', '5.00')
    await round()
    await round()
    expect(await sealsOf(holder.userId)).toEqual([
      { first: 1n, last: 4n },
      { first: 5n, last: 6n },
    ])
  })

  test("sealing proceeds while another transaction holds the user's lock", async () => {
    const user = await withHistory()
    await service.ctx.db.transaction(async (tx) => {
      await tx.query('select 1 from account where user_id = $1 for update', [user.userId])
      await sealUser(service.ctx, user.userId)
    })
    expect(await sealsOf(user.userId)).toEqual([{ first: 1n, last: 4n }])
  })

  test('sealing stops at a missing movement', async () => {
    const user = await withHistory()
    for (const statement of deleteMovement('= 3')) await query(statement, user.userId)
    await sealUser(service.ctx, user.userId)
    expect(await sealsOf(user.userId)).toEqual([{ first: 1n, last: 2n }])
  })

  test('more than a thousand movements get several seals, and the check reads all of them', async () => {
    const user = await withHistory()
    const [token] = service.ctx.config.tokens
    await service.ctx.db.query(
      `-- by a test
       insert into movement (user_id, seq, kind, ref_id, created_at)
       select $1, n, 'card_authorization', $1, $2 from generate_series(5, 2504) as n`,
      [user.userId, new Date()],
    )
    await service.ctx.db.query(
      `-- by a test
       insert into posting (user_id, movement_seq, line, token, from_account, to_account, amount)
       select $1, n, 1, $2, case when n % 2 = 1 then 'held' else 'available' end,
         case when n % 2 = 1 then 'available' else 'held' end, 1 from generate_series(5, 2504) as n`,
      [user.userId, token?.address],
    )
    await sealUser(service.ctx, user.userId)
    expect(await sealsOf(user.userId)).toEqual([
      { first: 1n, last: 1000n },
      { first: 1001n, last: 2000n },
      { first: 2001n, last: 2504n },
    ])
    expect(await checkUser(service.ctx, user.userId)).toEqual([])
    await query('update posting set amount = 2 where user_id = $1 and movement_seq = 1001', user.userId)
    const [first] = await checkUser(service.ctx, user.userId)
    expect(first).toMatchObject({ key: 'movement 1001' })
  })
})

test('correct books pass the check at every moment while the service writes and seals', async () => {
  const holders = Object.values(await world({ eur: 1000, card: true }, 'alice', 'bob', 'carol'))
  const write = async (holder: Person) => {
    for (let i = 10; i < 25; i++) {
      const about = { authorization_code: `CODE${i}` }
      const answers = await Promise.all([
        holder.try('authorization', '10.00', about),
        holder.try('clearing', '7.00', about),
        holder.deposit(1n),
      ])
      expect([answers[0].status, answers[1].status]).toEqual([200, 200])
    }
  }
  let isWriting = true
  let checks = 0
  const check = async () => {
    for (; isWriting; checks++) {
      for (const user of holders) expect(await checkUser(service.ctx, user.userId)).toEqual([])
      await Promise.all(holders.map((user) => sealUser(service.ctx, user.userId)))
    }
  }
  const writing = Promise.all(holders.map(write)).finally(() => {
    isWriting = false
  })
  await Promise.all([writing, check()])
  expect(checks).toBeGreaterThan(3)
  for (const user of holders) expect(await checkUser(service.ctx, user.userId)).toEqual([])
})

test('a check of the books fails and reports no bad row if the database rejects its queries', async () => {
  const { userId } = await withHistory()
  // This role may not read the ledger.
  await expect(checkUser(service.as('watcher'), userId)).rejects.toThrow('permission denied')
})
