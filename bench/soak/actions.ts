import { randomUUID } from 'node:crypto'
import type { SoakGround } from './ground.ts'
import type { Answer, Request, Requests } from './requests.ts'
import { cent, euroOf, type Payment, type SoakPartner, type SoakUser, signIn } from './users.ts'

/** The actions of a soak. Each one sends requests, compares the responses with the model and updates the model. */
export type Scene = {
  readonly ground: SoakGround
  readonly requests: Requests
  readonly partners: readonly SoakPartner[]
  readonly random: () => number
}
type Action = (scene: Scene, user: SoakUser) => Promise<void>

const maxPurchaseCents = 3000
const depositCents = 40_000n
const hugeCents = 100_000_000n
const maxCleared = 20
const duplicateShare = 0.15
const reorderShare = 0.1
/** A user with less than this gets a deposit. */
const poorCents = 20_000n

/** The actions with their shares in percent. */
const actions: readonly (readonly [number, Action])[] = [
  [30, purchase],
  [20, clear],
  [6, reverse],
  [6, refund],
  [2, overdraw],
  [12, readBalances],
  [9, readStatement],
  [6, readLists],
  [5, renewToken],
  [2, withdraw],
  [1, deposit],
  [1, sendForbidden],
]

export function chooseAction(random: () => number): Action {
  let left = random() * actions.reduce((sum, [share]) => sum + share, 0)
  for (const [share, action] of actions) {
    left -= share
    if (left < 0) return action
  }
  return purchase
}

type Message = { readonly type: string; readonly payment: Payment; readonly path: string }

function messageOf({ cardId }: SoakUser, { type, payment }: Message) {
  const { code, cents } = payment
  const merchant = { name: 'Corner Shop', city: 'Berlin', country: 'DE', categoryCode: '5411' }
  const money = { amount: String(cents), currency: 'EUR' }
  return { type, eventId: randomUUID(), cardId, authorizationCode: code, ...money, merchant }
}

/** Sends a card message. Some are sent twice at the same time, and both responses must be the same. */
async function send(scene: Scene, user: SoakUser, message: Message): Promise<Answer> {
  const { requests, random } = scene
  const body = messageOf(user, message)
  if (random() >= duplicateShare) return requests.sendMessage(message.path, body)
  const [one, other] = await Promise.all([
    requests.sendMessage(message.path, body),
    requests.sendMessage(message.path, body),
  ])
  if (one.text !== other.text) requests.reportUnexpected(`two responses to one message: ${one.text} ${other.text}`)
  return one
}

function expectOutcome({ requests }: Scene, { type }: Message, { body, text }: Answer, outcome: string, code?: string) {
  if (body['outcome'] === outcome && body['declineCode'] === code) return
  requests.reportUnexpected(`${type}: ${text} instead of ${outcome} ${code ?? ''}`)
}

function newPayment(user: SoakUser, cents: bigint): Payment {
  const code = (++user.codes).toString(36).toUpperCase().padStart(6, '0')
  return { code, cents }
}

async function purchase(scene: Scene, user: SoakUser): Promise<void> {
  if (user.available < poorCents) return user.incoming > 0n ? readBalances(scene, user) : deposit(scene, user)
  const payment = newPayment(user, BigInt(1 + Math.floor(scene.random() * maxPurchaseCents)))
  const share = scene.random()
  if (share < reorderShare / 2) return clearFirst(scene, user, payment)
  if (share < reorderShare) return reverseFirst(scene, user, payment)
  if (await isAuthorized(scene, user, payment)) {
    user.available -= payment.cents
    user.holds.push(payment)
  }
}

/** Sends an authorization. A late decision has moved nothing, so the processor sends no reversal. */
async function isAuthorized(scene: Scene, user: SoakUser, payment: Payment): Promise<boolean> {
  const message = { type: 'authorization', path: 'authorizations', payment }
  const answer = await send(scene, user, message)
  if (answer.body['declineCode'] === 'TMO') {
    scene.requests.tally.timeouts++
    return false
  }
  expectOutcome(scene, message, answer, 'approved')
  return true
}

/** Sends a clearing that overtakes its authorization. */
async function clearFirst(scene: Scene, user: SoakUser, payment: Payment): Promise<void> {
  const clearing = { type: 'clearing', path: 'clearings', payment }
  expectOutcome(scene, clearing, await send(scene, user, clearing), 'approved')
  user.available -= payment.cents
  keepCleared(user, payment)
  await isAuthorized(scene, user, payment)
}

/** Sends a reversal that overtakes its authorization, so nothing stays held. */
async function reverseFirst(scene: Scene, user: SoakUser, payment: Payment): Promise<void> {
  const reversal = { type: 'reversal', path: 'reversals', payment }
  expectOutcome(scene, reversal, await send(scene, user, reversal), 'approved')
  await isAuthorized(scene, user, payment)
}

function keepCleared(user: SoakUser, payment: Payment): void {
  user.cleared.push(payment)
  if (user.cleared.length > maxCleared) user.cleared.shift()
}

/** Clears a hold, wholly or in part. The rest of the hold is released. */
async function clear(scene: Scene, user: SoakUser): Promise<void> {
  const hold = user.holds.shift()
  if (hold === undefined) return purchase(scene, user)
  const cents = scene.random() < 0.2 ? hold.cents / 2n + 1n : hold.cents
  const payment = { ...hold, cents: cents > hold.cents ? hold.cents : cents }
  const message = { type: 'clearing', path: 'clearings', payment }
  expectOutcome(scene, message, await send(scene, user, message), 'approved')
  user.available += hold.cents - payment.cents
  keepCleared(user, payment)
}

function reverse(scene: Scene, user: SoakUser): Promise<void> {
  return giveBack(scene, user, 'reversal', user.holds.pop())
}

function refund(scene: Scene, user: SoakUser): Promise<void> {
  return giveBack(scene, user, 'refund', user.cleared.pop())
}

async function giveBack(
  scene: Scene,
  user: SoakUser,
  type: 'reversal' | 'refund',
  payment: Payment | undefined,
): Promise<void> {
  if (payment === undefined) return purchase(scene, user)
  const message = { type, path: `${type}s`, payment }
  expectOutcome(scene, message, await send(scene, user, message), 'approved')
  user.available += payment.cents
}

async function overdraw(scene: Scene, user: SoakUser): Promise<void> {
  const message = { type: 'authorization', path: 'authorizations', payment: newPayment(user, hugeCents) }
  const answer = await send(scene, user, message)
  if (answer.body['declineCode'] === 'TMO') scene.requests.tally.timeouts++
  else expectOutcome(scene, message, answer, 'declined', '810')
}

/** Reads the balances. They equal the model, with or without the deposit that is on its way. */
export async function readBalances({ requests }: Scene, user: SoakUser): Promise<void> {
  const { body } = await requests.send({ name: 'balances', path: '/user/balances/v2', token: user.token })
  const rows: unknown = body['data']
  const row = Array.isArray(rows) ? rows.find(({ currency }) => currency === 'EUR') : undefined
  const spendable = String(row?.spendable)
  if (user.incoming > 0n && spendable === String((user.available + user.incoming) * cent)) {
    user.available += user.incoming
    user.incoming = 0n
  } else if (spendable !== String(user.available * cent)) {
    const { userId, available, incoming } = user
    const expected = `${available * cent}, with ${incoming * cent} incoming`
    requests.reportUnexpected(`balances of ${userId}: ${spendable} instead of ${expected}`)
  }
}

/** Reads some pages of the statement, from the newest item. */
async function readStatement({ requests, random }: Scene, user: SoakUser): Promise<void> {
  let cursor = ''
  for (let pages = 1 + Math.floor(random() * 3); pages > 0; pages--) {
    const path = `/user/statement?limit=50${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const { body } = await requests.send({ name: 'statement', path, token: user.token })
    const { nextCursor } = Object(body['pagination'])
    if (typeof nextCursor !== 'string') return
    cursor = nextCursor
  }
}

async function readLists({ requests, partners, random }: Scene, user: SoakUser): Promise<void> {
  const partner = partners[user.partner]
  const paths = [
    '/cards',
    `/cards/${user.cardId}`,
    '/user',
    '/user/account',
    '/user/owners',
    '/user/deposits',
    '/terms',
  ]
  const partnerPaths = ['/partner/users', '/partner/webhooks', '/partner/events?limit=50', '/partner/members']
  const deliveries = `/partner/webhooks/${partner?.endpointId}/deliveries`
  const choice = Math.floor(random() * (paths.length + partnerPaths.length + 1))
  const path = paths[choice]
  if (path !== undefined) await requests.send({ name: 'list', path, token: user.token })
  else {
    const partnerPath = partnerPaths[choice - paths.length] ?? deliveries
    await requests.send({ name: 'partner list', path: partnerPath, token: partner?.token ?? '' })
  }
}

async function renewToken({ requests }: Scene, user: SoakUser): Promise<void> {
  user.token = await signIn(requests, user.wallet)
}

/** Withdraws to the user's wallet. A repeat with the same key gets the same response. */
async function withdraw({ ground, requests, random }: Scene, user: SoakUser): Promise<void> {
  const cents = BigInt(100 + Math.floor(random() * 5000))
  const request: Request = {
    name: 'withdrawal',
    method: 'POST',
    path: '/user/withdrawal',
    token: user.token,
    headers: { 'idempotency-key': randomUUID() },
    body: { tokenAddress: euroOf(ground.config), amount: String(cents * cent) },
  }
  if (cents > user.available) {
    if (user.incoming > 0n) return
    await requests.send({ ...request, expected: 422, error: 'INSUFFICIENT_FUNDS' })
    return
  }
  const first = await requests.send({ ...request, expected: 201 })
  user.available -= cents
  user.withdrawn += cents
  if (random() >= duplicateShare) return
  const second = await requests.send({ ...request, expected: 201 })
  if (first.text !== second.text) requests.reportUnexpected(`two responses to one withdrawal: ${second.text}`)
}

async function deposit(scene: Scene, user: SoakUser): Promise<void> {
  if (user.incoming > 0n) return readBalances(scene, user)
  const { chain, config } = scene.ground
  await chain.mint(euroOf(config), user.account, depositCents * cent)
  user.incoming = depositCents
}

/** Sends requests that must be rejected. */
async function sendForbidden({ requests }: Scene, user: SoakUser): Promise<void> {
  const name = 'rejected'
  const other = `/cards/${randomUUID()}`
  await requests.send({ name, path: other, token: user.token, expected: 404, error: 'CARD_NOT_FOUND' })
  await requests.send({ name, path: '/user', expected: 401, error: 'UNAUTHORIZED' })
  await requests.send({ name, path: '/user', token: `${user.token}x`, expected: 401, error: 'INVALID_TOKEN' })
}
