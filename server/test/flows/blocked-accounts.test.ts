import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { closure } from '../acceptance/client.ts'
import { runMoneyCommand, runOperator } from '../support/operator.ts'
import { newWallet, startService, type TestService, type TestUser } from '../support/service.ts'
import { webhookStories } from '../support/webhook-story.ts'
import { checkBooks } from '../support/world.ts'

/** An operator blocks and unblocks accounts. */
let service: TestService
beforeAll(async () => {
  service = await startService()
})
const { newStory, deposit, euro, closeReceivers } = webhookStories(() => service)
afterEach(() => checkBooks(service))
afterAll(async () => {
  await closeReceivers()
  await service.stop()
})

const tell = (typed: string, ...given: string[]) => runMoneyCommand(service, typed, ...given)
const block = (userId: string, reason = 'a case') => tell('user block <userId> <reason>', userId, reason)
const unblock = (userId: string, reason = 'a case') => tell('user unblock <userId> <reason>', userId, reason)
const setStatus = async (userId: string, accountStatus: string) =>
  expect(await service.sandbox('PATCH', `/users/${userId}`, { accountStatus })).toMatchObject({ status: 200 })
const decisionsOn = async (userId: string) =>
  (await tell('decisions list'))
    .split('\n')
    .filter((line) => line.includes(userId))
    .reverse()
const ask = async ({ wallet }: TestUser, method: string, path: string, body?: unknown) =>
  service.request(method, path, { token: await service.signIn(wallet), body })
const statusOf = async (user: TestUser) => (await ask(user, 'GET', '/user/account')).body.status
const accountEvents = ['account.provisioning', 'account.activated', 'account.blocked']

test('a blocked account is readable but cannot pay until it is unblocked, and both changes are recorded and reported', async () => {
  const { newUser, receiver } = await newStory(accountEvents)
  const user = await newUser()
  const card = { cardName: 'Everyday', phone: '+4915112345678' }
  const { cardId } = (await ask(user, 'POST', '/cards/virtual', card)).body
  await deposit(user.userId)
  const pay = async (transaction_type: string, amount: string, authorization_code: string) =>
    (
      await service.sandbox('POST', '/transactions', {
        ...{ transaction_type, card_id: cardId, currency: 'EUR', amount, authorization_code },
      })
    ).body
  const withdraw = () => ask(user, 'POST', '/user/withdrawal', { tokenAddress: euro(), amount: String(10n ** 18n) })
  expect(await pay('authorization', '10.00', 'BEFORE')).toMatchObject({ status: 'approved' })

  const words = ['user', 'block', user.userId, 'screening', 'contradicts', 'itself']
  expect(await runOperator(service, words)).toEqual({ code: 0, output: `The account of ${user.userId} is blocked.\n` })

  expect(await statusOf(user)).toBe('blocked')
  expect((await ask(user, 'GET', '/user')).body.account).toMatchObject({ status: 'blocked' })
  expect(await pay('authorization', '1.00', 'DURING')).toMatchObject({ status: 'denied', denial_code: 'CND' })
  expect(await withdraw()).toMatchObject({ status: 422, body: { error: 'ACCOUNT_NOT_ACTIVE' } })
  expect(await ask(user, 'POST', '/cards/virtual', card)).toMatchObject({ body: { error: 'ACCOUNT_NOT_ACTIVE' } })
  // Clearings of earlier authorizations and new deposits are still booked.
  expect(await pay('clearing', '10.00', 'BEFORE')).toMatchObject({ status: 'approved' })
  await deposit(user.userId)

  expect(await unblock(user.userId, 'cleared by compliance')).toBe(`The account of ${user.userId} is active.`)
  expect(await statusOf(user)).toBe('active')
  expect(await pay('authorization', '1.00', 'AFTER1')).toMatchObject({ status: 'approved' })
  expect(await withdraw()).toMatchObject({ status: 201 })

  const events = (await receiver.waitForDeliveries(2)).map(({ event }) => event)
  expect(events.map(({ type, data }) => [type, data.userId, data.status])).toEqual([
    ['account.blocked', user.userId, 'blocked'],
    ['account.activated', user.userId, 'active'],
  ])
  expect(await decisionsOn(user.userId)).toEqual([
    expect.stringMatching(`Z  ada  user block  ${user.userId}  screening contradicts itself  \\(break-glass\\)$`),
    expect.stringMatching(`Z  \\S+  user unblock  ${user.userId}  cleared by compliance  \\(break-glass\\)$`),
  ])
})

test.each(['the operator', 'the simulator'])(
  'an account that %s blocked during setup returns to setup when it is unblocked',
  async (by) => {
    const { newUser, receiver } = await newStory(accountEvents)
    const user = await newUser()
    await setStatus(user.userId, 'provisioning')
    if (by === 'the operator') await block(user.userId)
    else await setStatus(user.userId, 'blocked')
    expect(await unblock(user.userId)).toBe(`The account of ${user.userId} is provisioning.`)
    expect(await statusOf(user)).toBe('provisioning')
    expect((await ask(user, 'GET', '/user/onboarding')).body).toEqual({ status: 'waiting_account_setup' })

    // A block of the active account ends with an active account.
    await setStatus(user.userId, 'active')
    await block(user.userId)
    await unblock(user.userId)
    expect(await statusOf(user)).toBe('active')
    await receiver.waitForDeliveries(6)
    const [blocked, [being, active]] = ['account.blocked', ['account.provisioning', 'account.activated']]
    expect(receiver.types()).toEqual([being, blocked, being, active, blocked, active])
  },
)

test('of two concurrent blocks or unblocks one succeeds and the other fails', async () => {
  const { newUser, receiver } = await newStory(accountEvents)
  const { userId } = await newUser()
  for (const [act, refused] of [
    [block, 'The account is already blocked.'],
    [unblock, 'The account is active, not blocked.'],
  ] as const) {
    const outcomes = await Promise.allSettled([act(userId), act(userId)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(act(userId)).rejects.toThrow(refused)
  }
  await block(userId)
  await receiver.waitForDeliveries(3)
  expect(receiver.types()).toEqual(['account.blocked', 'account.activated', 'account.blocked'])
  expect(await decisionsOn(userId)).toHaveLength(3)
})

describe('rejected blocks and unblocks', () => {
  async function newcomer(): Promise<string> {
    const token = await service.signIn(newWallet())
    const email = `${randomUUID()}@example.org`
    await service.request('POST', '/email-verification', { token, body: { email } })
    return (await service.request('POST', '/user', { token, body: { email, otp: '123456' } })).body.userId
  }

  async function closed(): Promise<string> {
    const user = await service.newUser()
    const { userId, token } = user
    const body = await closure(service, user)
    expect(await service.request('POST', '/user/close', { token, body })).toMatchObject({ status: 200 })
    return userId
  }

  test.each<[string, () => Promise<string>, string]>([
    ['an invalid user id', async () => 'somebody', '"somebody" is not a user id. Use a UUID.'],
    ['an unknown user id', async () => '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a', 'No user has this id. Check the id.'],
    ['a user without an account', newcomer, 'The user has no account. Create one with POST /user/account.'],
    ['a closed account', closed, 'The account is closed and cannot be reopened.'],
  ])('blocking or unblocking %s is rejected and records no decision', async (_whom, arrange, refused) => {
    const userId = await arrange()
    await expect(block(userId)).rejects.toThrow(refused)
    await expect(unblock(userId)).rejects.toThrow(refused)
    expect(await decisionsOn(userId)).toEqual([])
  })

  test('blocking without a reason prints the usage and changes nothing', async () => {
    const user = await service.newUser()
    const { code, output } = await runOperator(service, ['user', 'block', user.userId])
    expect(code).toBe(2)
    expect(output).toMatch(/^"user block" needs <reason>\.\n\nUsage: .*\n\n {2}user block <userId> <reason>\n/)
    expect(output).not.toContain('user unblock')
    expect(await statusOf(user)).toBe('active')
    expect(await decisionsOn(user.userId)).toEqual([])
  })
})
