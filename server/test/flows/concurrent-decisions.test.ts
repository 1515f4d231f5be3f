import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareKeys } from '../../src/identity/access-tokens/keys.ts'
import { approve, type Change, newOperator, propose, signed, type TestOperator, twoPeople } from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { lockWaits } from '../support/run/cluster.ts'
import { type Reply, startService, type TestService } from '../support/service.ts'

/**
 * Operator decisions over a state that changes at the same moment. Another client holds a lock on that state until all
 * requests wait for the lock or have ended.
 */

let service: TestService
let other: pg.Client
let [ada, bob, carol, dave] = [{} as TestOperator, {} as TestOperator, {} as TestOperator, {} as TestOperator]
beforeAll(async () => {
  service = await startService({ env: twoPeople, worker: false })
  other = new pg.Client(service.connection)
  await other.connect()
  ada = await newOperator(service, 'admin')
  bob = await newOperator(service, 'admin')
  carol = await newOperator(service, 'admin')
  dave = await newOperator(service, 'admin')
})
afterAll(async () => {
  await other.end()
  await service.stop()
})

const waiting = async () => (await service.ctx.db.query(lockWaits)).length

/** Sends the requests while the other client holds a lock, and releases it once each of them waits or has ended. */
async function sendDuring(lock: string, requests: readonly (() => Promise<Reply>)[]): Promise<Reply[]> {
  await other.query('begin')
  await other.query(lock)
  let ended = 0
  const sent = requests.map(async (send) => {
    const reply = await send()
    ended++
    return reply
  })
  await expect.poll(async () => ended + (await waiting())).toBe(requests.length)
  await other.query('commit')
  return Promise.all(sent)
}

const short = ({ status, body }: Reply) => [status, body?.error ?? body?.status]
const executedOnce = [
  [200, 'executed'],
  [409, 'PROPOSAL_LAPSED'],
]

/**
 * Proposes both changes over the same state, and approves them at the same moment. Four people sign, because two
 * approvals of one person's proposals wait for each other anyway. Returns the outcome of the lapsed proposal.
 */
async function approveAtOnce(lock: string, changes: readonly [Change, Change]): Promise<string> {
  const [one, two] = [await propose(ada, changes[0]), await propose(carol, changes[1])]
  expect([one.status, two.status]).toEqual([201, 201])
  const replies = await sendDuring(lock, [() => approve(bob, one.body), () => approve(dave, two.body)])
  expect(replies.map(short).sort()).toEqual(executedOnce)
  const read = await Promise.all([one, two].map(({ body }) => ada.ask('GET', `/proposals/${body.proposalId}`)))
  return read.find(({ body }) => body.status === 'lapsed')?.body.outcome
}

test('of two concurrent approvals that retire different keys, one takes effect', async () => {
  await prepareKeys(service.ctx)
  expect((await propose(ada, { command: 'keys rotate', subject: 'signing-keys' })).status).toBe(201)
  const activeKids = async () =>
    (await ada.ask('GET', '/signing-keys')).body.data
      .filter(({ retiredAt }: any) => retiredAt === null)
      .map(({ kid }: any) => kid)
  const [one, two] = await activeKids()
  const retire = (kid: string) => ({ command: 'keys retire', subject: kid })
  const lock = 'lock table signing_key in share row exclusive mode'
  expect(await approveAtOnce(lock, [retire(one), retire(two)])).toContain('active: ')
  expect((await activeKids()).filter((kid: string) => [one, two].includes(kid))).toHaveLength(1)
})

test('of two concurrent approvals that add a domain, one takes effect', async () => {
  const add = { command: 'domain add', subject: 'pages.example.com' }
  const lock = 'lock table sign_in_domain in share row exclusive mode'
  const outcome = await approveAtOnce(lock, [add, { ...add, reason: 'once more' }])
  expect(outcome).toBe('registered: no, now yes')
})

test('of two concurrent approvals that remove a domain, one takes effect', async () => {
  const subject = 'old.example.com'
  await propose(ada, { command: 'domain add', subject }).then(({ body }) => approve(bob, body))
  const remove = { command: 'domain remove', subject }
  const lock = `select from sign_in_domain where domain = '${subject}' for update`
  expect(await approveAtOnce(lock, [remove, { ...remove, reason: 'once more' }])).toBe('registered: yes, now no')
})

test('of two concurrent approvals that turn a switch on, one takes effect', async () => {
  expect((await propose(ada, { command: 'switch payouts off', subject: 'payouts' })).status).toBe(201)
  const on = { command: 'switch payouts on', subject: 'payouts' }
  const lock = `select from kill_switch where name = 'payouts' for update`
  expect(await approveAtOnce(lock, [on, { ...on, reason: 'once more' }])).toBe('payouts: off, now on')
})

test('a decision to resend webhooks is not executed when the endpoint changes at the same moment', async () => {
  const partner = await newPartner(service)
  await service.ctx.db.query(`update partner set status = 'active' where partner_id = $1`, [partner.partnerId])
  const created = await partner.ask('POST', '/webhooks', { url: 'https://hooks.example.com/one' })
  expect(created.status).toBe(201)
  const { endpointId } = created.body
  const resend = { command: 'webhooks resend', subject: endpointId }
  const change = `update webhook_endpoint set url = 'https://hooks.example.com/two' where endpoint_id = '${endpointId}'`
  const body = await signed(ada, resend)
  const replies = await sendDuring(change, [() => ada.ask('POST', '/proposals', body)])
  expect(replies.map(short)).toEqual([[409, 'STATE_CHANGED']])
})
