import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { eraseUser } from '../../src/closing/closing.ts'
import { checkUser } from '../../src/money/reconcile/reconcile.ts'
import { publishOutbox } from '../../src/webhooks/publish-outbox.ts'
import { closure, ownerProof, ownerRemoval } from '../acceptance/client.ts'
import { bundled } from '../support/bundle.ts'
import { databaseUrl } from '../support/database-url.ts'
import { newPartner } from '../support/partner.ts'
import { processEnv } from '../support/process-env.ts'
import { newWallet, plainError, type TestUser } from '../support/service.ts'
import { eure, type Person, useWorld } from '../support/world.ts'

const day = 86_400
const { service, world } = useWorld({ worker: false, env: { PERSONAL_RETENTION_DAYS: '30' } })

type Closer = Pick<TestUser, 'token' | 'userId' | 'wallet'>
const closeWith = (token: string, body: unknown) => service.request('POST', '/user/close', { token, body })
const close = async (user: Closer) => closeWith(user.token, await closure(service, user))
const query = (sql: string, userId: string) => service.ctx.db.query<any>(sql, [userId])
const sandbox = (path: string, body: object) => service.sandbox('POST', path, body)

/** Signs in again, for another access token of the same user. */
const signedIn = async ({ wallet }: TestUser) => service.signIn(wallet)

async function withdrawAll(user: Person, units: bigint): Promise<string> {
  const tokenAddress = service.ctx.config.tokens.find(({ symbol }) => symbol === 'EURe')?.address
  const body = { tokenAddress, amount: String(units) }
  const { status, body: made } = await service.request('POST', '/user/withdrawal', { token: user.token, body })
  expect(status).toBe(201)
  return made.withdrawalId
}

/** Stores a transfer as the watcher does. No due work has posted it yet. */
async function storeTransfer({ userId, accountAddress }: Person): Promise<void> {
  const [token] = service.ctx.config.tokens
  await service.ctx.db.query(
    `insert into incoming_transfer (user_id, chain_id, tx_hash, log_position, token, from_address, to_address,
       block_number, block_hash, chain_state, claimed, arrived, due_at, created_at, updated_at)
     values ($1, $2, $3, 0, $4, $5, $5, 7, $3, 'final', 5, 5, $6, $6, $6)`,
    [userId, token?.chainId, `0x${'7'.repeat(64)}`, token?.address, accountAddress, service.ctx.clock.now()],
  )
}

test('closing a user without money cancels the cards and revokes every access token', async () => {
  const { alice } = await world({ eur: 20, card: true })
  await alice.send('authorization', '20.00')
  await alice.send('clearing', '20.00')
  const another = await signedIn(alice)
  await sandbox(`/cards/${alice.cardId}/block`, { by: 'issuer' })

  const answer = await close(alice)
  expect([answer.status, answer.body]).toEqual([200, { success: true }])
  const body = await closure(service, alice)
  for (const token of [alice.token, another, await signedIn(alice)]) {
    for (const [method, path] of [
      ['GET', '/user'],
      ['GET', '/user/statement'],
      ['GET', '/user/balances/v2'],
      ['POST', '/user/close'],
    ] as const) {
      const refused = await service.request(method, path, { token, ...(method === 'POST' ? { body } : {}) })
      expect([path, refused.status, refused.body]).toEqual([path, ...plainError(401, 'ACCESS_REVOKED')])
    }
  }
  expect(await query('select status, blocked_by as "blockedBy" from card where user_id = $1', alice.userId)).toEqual([
    { status: 'canceled', blockedBy: [] },
  ])
  await service.jobs.runDue()
  expect(await query('select due_at as "dueAt" from card where user_id = $1', alice.userId)).toEqual([{ dueAt: null }])
  const declined = await alice.try('authorization', '1.00', { authorization_code: 'LATER1' })
  expect(declined.body).toMatchObject({ status: 'denied' })

  // A merchant can still refund a closed user: the refund is booked, and the books stay correct.
  const refund = await alice.try('refund', '5.00')
  expect(refund.status).toBe(200)
  expect(await alice.money()).toEqual({ own: 500n, held: 0n, network: 1500n })
  expect(await checkUser(service.ctx, alice.userId)).toEqual([])
})

describe('rejected requests to close a user', () => {
  test.each<[string, (holder: Person) => Promise<unknown>]>([
    ['available money', (holder) => holder.deposit(1n)],
    [
      'a hold',
      async (holder) => {
        await holder.deposit(eure(10))
        await holder.send('authorization', '10.00')
      },
    ],
    [
      'a deposit in screening',
      (user) =>
        sandbox('/deposits', {
          userId: user.userId,
          token: service.ctx.config.tokens[0]?.address,
          amount: '1',
          result: 'pending',
        }),
    ],
    [
      'frozen money',
      (user) =>
        sandbox('/deposits', {
          userId: user.userId,
          token: service.ctx.config.tokens[0]?.address,
          amount: '1',
          result: 'rejected',
        }),
    ],
    [
      'a pending withdrawal',
      async (holder) => {
        await holder.deposit(5n)
        await withdrawAll(holder, 5n)
      },
    ],
    ['a debt', (holder) => holder.send('clearing', '3.00')],
    ['a transfer that is not in the books yet', storeTransfer],
  ])('a user with %s cannot be closed, and nothing changes', async (_what, arrange) => {
    const { alice } = await world({ card: true })
    await arrange(alice)
    const answer = await close(alice)
    expect([answer.status, answer.body]).toEqual(plainError(422, 'ACCOUNT_NOT_EMPTY'))
    expect((await service.request('GET', '/user/account', { token: alice.token })).body.status).toBe('active')
    expect(await query('select status from card where user_id = $1', alice.userId)).toEqual([{ status: 'active' }])
  })
})

test('closing a user cancels a card that the issuer has not created, and later cancels it there', async () => {
  const user = await service.newUser()
  const { token, userId } = user
  service.ctx.sandbox?.issuer.failNext(1)
  await service.request('POST', '/cards/virtual', { token, body: { cardName: 'Late', phone: '+4915112345678' } })
  expect((await close(user)).status).toBe(200)
  await service.jobs.runDue()
  const select = 'select status, card_token is not null as "isCreated", due_at as "dueAt" from card where user_id = $1'
  expect(await query(select, userId)).toEqual([{ status: 'canceled', isCreated: true, dueAt: null }])
})

describe('the approval of closing a user', () => {
  test('an access token alone cannot close a user', async () => {
    const user = await service.newUser()
    expect((await service.request('POST', '/user/close', { token: user.token })).status).toBe(400)
    expect((await closeWith(user.token, {})).status).toBe(400)
    expect((await service.request('GET', '/user', { token: user.token })).status).toBe(200)
  })

  test.each<[string, (user: TestUser) => Promise<object>]>([
    ['of another wallet', (user) => closure(service, user, newWallet())],
    ['of another user', async () => closure(service, await service.newUser())],
    ['for another user', async (user) => closure(service, { ...(await service.newUser()), wallet: user.wallet })],
    ['to remove the wallet', (user) => ownerRemoval(service, user, user.wallet.address)],
    [
      'with an invented signature',
      async (user) => ({ approval: { ...(await closure(service, user)).approval, signature: `0x${'1'.repeat(130)}` } }),
    ],
  ])('an approval %s does not close a user', async (_what, approve) => {
    const user = await service.newUser()
    const answer = await closeWith(user.token, await approve(user))
    expect([answer.status, answer.body]).toEqual(plainError(422, 'OWNER_NOT_APPROVED'))
    expect((await service.request('GET', '/user', { token: user.token })).status).toBe(200)
  })

  test("an approval to close a user is used up by a request with another user's access token, which is rejected", async () => {
    const [user, other] = [await service.newUser(), await service.newUser()]
    const body = await closure(service, user)
    expect((await closeWith(other.token, body)).status).toBe(422)
    expect((await closeWith(user.token, body)).status).toBe(422)
    expect((await close(user)).status).toBe(200)
  })

  test('a second owner can approve closing the user', async () => {
    const user = await service.newUser()
    const wallet = newWallet()
    const added = { token: user.token, body: await ownerProof(service, user, wallet) }
    expect((await service.request('POST', '/user/owners', added)).status).toBe(201)
    expect((await closeWith(user.token, await closure(service, user, wallet))).status).toBe(200)
  })
})

test('of two concurrent requests to close, one succeeds and the other gets 401', async () => {
  const user = await service.newUser()
  const statuses = (await Promise.all([close(user), close(user)])).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 401])
})

test('a user without an account can be closed', async () => {
  const wallet = newWallet()
  const token = await service.signIn(wallet)
  const email = 'early.leaver@example.org'
  await service.request('POST', '/email-verification', { token, body: { email } })
  const { body } = await service.request('POST', '/user', { token, body: { email, otp: '123456' } })
  expect((await close({ ...body, token: body.accessToken, wallet })).status).toBe(200)
  expect((await service.request('GET', '/user', { token: body.accessToken })).body.error).toBe('ACCESS_REVOKED')
})

/** Returns the table of each row in the database that contains one of the words. */
async function whereIs(words: readonly string[]): Promise<string[]> {
  const tables = await service.ctx.db.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await service.ctx.db.query<{ row: string }>(
      `-- scanDue: a test looks everywhere
       select row_to_json(t)::text as row from "${name}" t`,
    )
    for (const { row } of rows) if (words.some((word) => row.includes(word))) found.push(name)
  }
  return found
}

async function closedUser(email: string) {
  const user = await service.newUser({ email })
  const phone = `+49151${String(Math.floor(10_000_000 + Math.random() * 89_999_999))}`
  const made = await service.request('POST', '/cards/virtual', {
    token: user.token,
    body: { cardName: 'Zoë’s own', phone },
  })
  expect(made.status, made.text).toBe(201)
  expect((await close(user)).status).toBe(200)
  return { ...user, phone, email }
}

/** Signs the challenge for a card view as an owner and creates the view. */
async function lookAt(cardId: string, { token, wallet }: TestUser): Promise<void> {
  const path = `/pci/cards/${cardId}`
  const asked = await service.request('GET', `${path}/challenge?action=view-details`, { token })
  const { authorization, nonce } = asked.body.message
  const signature = await wallet.signTypedData({ ...asked.body, message: { authorization, nonce: BigInt(nonce) } })
  const body = { action: 'view-details', nonce, signature }
  expect((await service.request('POST', `${path}/token`, { token, body })).status).toBe(201)
}

test('erasing a user deletes card views and stored responses', async () => {
  const { alice } = await world({ card: true })
  const headers = { 'idempotency-key': 'once' }
  expect((await service.request('POST', `/cards/${alice.cardId}/block`, { token: alice.token, headers })).status).toBe(
    200,
  )
  await lookAt(alice.cardId, alice)
  expect((await close(alice)).status).toBe(200)
  const rows = () =>
    query(
      `select (select count(*) from card_view where user_id = $1) as looks,
         (select count(*) from idempotency_key where user_id = $1) as answers`,
      alice.userId,
    )
  expect(await rows()).toEqual([{ looks: 1n, answers: 1n }])
  await sandbox('/clock', { advanceSeconds: 31 * day })
  expect(await rows()).toEqual([{ looks: 0n, answers: 0n }])
})

test('a closed user is erased when the retention period ends, which frees the wallet and the email address', async () => {
  const user = await closedUser('zoe.leaves@example.org')
  const words = [user.email, user.phone, 'Zoë’s own']
  const [account] = await query('select address from account where user_id = $1', user.userId)
  await sandbox('/clock', { advanceSeconds: 29 * day })
  expect((await whereIs(words)).sort()).toEqual(['app_user', 'card', 'cardholder'])
  // Until then, neither the wallet nor the email address can register again.
  expect((await service.sandbox('POST', '/users', { address: user.wallet.address })).status).toBe(409)
  expect((await service.sandbox('POST', '/users', { address: newWallet().address, email: user.email })).status).toBe(
    409,
  )

  await sandbox('/clock', { advanceSeconds: 2 * day })
  expect(await whereIs([...words, user.wallet.address])).toEqual([])
  const [row] = await query('select * from app_user where user_id = $1', user.userId)
  const facts = [
    'email',
    'country',
    'nationality',
    'first_name',
    'last_name',
    'birth_date',
    'street',
    'city',
    'postal_code',
  ]
  for (const fact of facts) expect([fact, row[fact]]).toEqual([fact, null])
  expect(row.erased_at).toBeInstanceOf(Date)
  expect(row.due_at).toBeNull()
  expect(await query('select answer from source_of_funds_answer where user_id = $1', user.userId)).toEqual([])
  expect(await query('select address from account where user_id = $1', user.userId)).toEqual([account])
  expect(await checkUser(service.ctx, user.userId)).toEqual([])

  const again = await service.sandbox('POST', '/users', { address: user.wallet.address, email: user.email })
  expect(again.status).toBe(201)
  expect(again.body.userId).not.toBe(user.userId)
})

test('a user is not erased until the processor has confirmed the cancellation of every card', async () => {
  const { alice } = await world()
  service.ctx.sandbox?.issuer.failNext(1)
  const body = { cardName: 'Late', phone: '+4915112345678' }
  expect((await service.request('POST', '/cards/virtual', { token: alice.token, body })).status).toBe(502)
  expect((await close(alice)).status).toBe(200)
  await expect(eraseUser(service.ctx, alice.userId)).rejects.toThrow('still being canceled at the card processor')
  await sandbox('/clock', { advanceSeconds: 3600 })
  await eraseUser(service.ctx, alice.userId)
  expect(await query('select status, due_at from card where user_id = $1', alice.userId)).toEqual([
    { status: 'canceled', due_at: null },
  ])
})

test('an erased user leaves no wallet or event with the partner, published or not', async () => {
  const partner = await newPartner(service)
  await partner.ask('POST', '/webhooks', { url: 'https://example.com/', events: ['*'] })
  const { gone, other } = await world({ partner, eur: 5 }, 'gone', 'other')
  const { withdrawalId } = (await gone.withdraw(eure(5))).body
  await sandbox(`/withdrawals/${withdrawalId}`, { outcome: 'completed' })
  await publishOutbox(service.ctx)
  expect(await whereIs([gone.wallet.address])).toContain('partner_event')
  expect((await close(gone)).status).toBe(200)
  const waiting = await query('select 1 from event where user_id = $1 and due_at is not null', gone.userId)
  expect(waiting.length).toBeGreaterThan(0)

  await eraseUser(service.ctx, gone.userId)
  await publishOutbox(service.ctx)
  const left = (await partner.ask('GET', '/events')).body.data
  expect(new Set(left.map(({ data }: any) => data.userId))).toEqual(new Set([other.userId]))
  // The books stay.
  expect((await whereIs([gone.wallet.address])).sort()).toEqual(['statement_item', 'withdrawal'])
  const orphans = await service.ctx.db.query(
    'select 1 from webhook_delivery d where not exists (select from partner_event e where e.partner_id = d.partner_id and e.position = d.position)',
  )
  expect(orphans).toEqual([])
})

describe('npm run operator -- user erase', () => {
  const erase = async (userId: string) => {
    return promisify(execFile)(process.execPath, [bundled('operator'), 'user', 'erase', userId, 'a court order'], {
      env: { ...processEnv, DATABASE_URL: databaseUrl(service.connection) },
    }).then(
      ({ stdout }) => ({ code: 0, output: stdout }),
      ({ code, stderr }) => ({ code, output: stderr }),
    )
  }

  test('the user erase command erases closed users immediately and rejects other users', async () => {
    const closed = await closedUser('ordered.by.court@example.org')
    const open = await service.newUser()
    expect(await erase(open.userId)).toMatchObject({ code: 1, output: expect.stringContaining('closed') })
    expect(await erase('nobody')).toMatchObject({ code: 1, output: expect.stringContaining('UUID') })
    expect(await erase(closed.userId)).toEqual({ code: 0, output: `${closed.userId} is erased.\n` })
    expect(await whereIs([closed.email, closed.phone])).toEqual([])
    expect(await erase(closed.userId)).toEqual({ code: 0, output: `${closed.userId} is already erased.\n` })
  })
})
