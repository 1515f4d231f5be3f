import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { decisionRouteTable } from '../../src/operators/decision-route-table.ts'
import { readDocument } from '../acceptance/document.ts'
import {
  approve,
  fromConsole,
  newOperator,
  operatorMessage,
  propose,
  signDecision,
  signed,
  type TestOperator,
  testOperator,
  twoPeople,
} from '../support/console.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet, type Reply, useService } from '../support/service.ts'
import { newCardholder, type Person } from '../support/world.ts'

const service = useService({ env: twoPeople, worker: false })
afterEach(() => expect([...problems]).toEqual([]))

let [ada, bob] = [{} as TestOperator, {} as TestOperator]
const seen = new Set<string>()
/** The responses that differ from the document. */
const problems = new Set<string>()

beforeAll(async () => {
  const send = service.request
  const document = await readDocument(service.url)
  service.request = async (method, path, options) => {
    const reply = await send(method, path, options)
    const known = templates.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''))
    seen.add(`${method} ${known?.path ?? path} ${reply.status}`)
    const operation = document.find(method, path)
    const { status, text, headers } = reply
    const contentType = headers.get('content-type') ?? ''
    const problem = operation && document.problemOf(operation, { status, contentType, text })
    if (problem) problems.add(problem)
    return reply
  }
  const { paths, components } = (await send('GET', '/operator/openapi.json')).body
  for (const [path, item] of Object.entries<Record<string, any>>(paths)) {
    for (const operation of Object.values(item))
      operation.parameters = operation.parameters?.map(
        (each: any) => components.parameters[each.$ref?.split('/').at(-1)] ?? each,
      )
    templates.push({ path, pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`), item })
  }
  // Fixed paths first, so that a parameter never matches a fixed word.
  templates.sort((one, other) => one.path.split('{').length - other.path.split('{').length)
  ada = await newOperator(service, 'admin')
  bob = await newOperator(service, 'admin')
})

const templates: { path: string; pattern: RegExp; item: Record<string, any> }[] = []

/** `operator-limits.test.ts` causes the status 429, and `operator-contracts.test.ts` the status 502. */
const outOfReach = [429, 502]

/** Successful requests of operations with parameters or a body. A new operation of this kind needs an entry here. */
const good: Record<string, () => Promise<unknown>> = {
  'POST /operator/session': async () =>
    service.request('POST', '/operator/session', { body: await operatorMessage(service, testOperator) }),
  'DELETE /operator/sessions': async () => (await newOperator(service, 'viewer')).ask('DELETE', '/sessions'),
  'DELETE /operator/sessions/{sessionId}': async () => {
    const viewer = await newOperator(service, 'viewer')
    return viewer.ask('DELETE', `/sessions/${(await viewer.ask('GET', '/me')).body.sessionId}`)
  },
  'POST /operator/proposals': async () => propose(ada, await blocking()),
  'GET /operator/proposals/{proposalId}': async () => ada.ask('GET', `/proposals/${(await open()).proposalId}`),
  'POST /operator/proposals/{proposalId}/approve': async () => approve(bob, await open()),
  'GET /operator/search': async () => ada.ask('GET', '/search?q=ada'),
  'GET /operator/deposits': async () => ada.ask('GET', '/deposits?state=waiting'),
  'GET /operator/payouts': async () => ada.ask('GET', '/payouts?state=open'),
  'GET /operator/evidence': async () => ada.ask('GET', '/evidence?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'),
  'GET /operator/partners/{partnerId}': async () =>
    ada.ask('GET', `/partners/${(await newPartner(service)).partnerId}`),
  'GET /operator/partners/{partnerId}/audit': async () =>
    ada.ask('GET', `/partners/${(await newPartner(service)).partnerId}/audit`),
  'POST /operator/users/{userId}/reveal': async () =>
    ada.ask('POST', `/users/${(await payer()).userId}/reveal`, { reason: 'a test' }),
  'GET /operator/users/{userId}/movements/{seq}': async () =>
    ada.ask('GET', `/users/${(await payer()).userId}/movements/1`),
  'GET /operator/users/{userId}/card-transactions/{cardTransactionId}': async () => {
    const user = await payer()
    const [{ id }] = await user.cardRows()
    return ada.ask('GET', `/users/${user.userId}/card-transactions/${id}`)
  },
  'POST /operator/reconciliation/users/{userId}': async () =>
    ada.ask('POST', `/reconciliation/users/${(await payer()).userId}`),
  'POST /operator/proposals/{proposalId}/reject': async () =>
    ada.ask('POST', `/proposals/${(await open()).proposalId}/reject`, { reason: 'a test' }),
}

const userLists = [
  'cards',
  'statement',
  'deposits',
  'withdrawals',
  'events',
  'decisions',
  'movements',
  'ledger-accounts',
]
for (const list of ['', ...userLists.map((name) => `/${name}`)])
  good[`GET /operator/users/{userId}${list}`] = async () => ada.ask('GET', `/users/${(await payer()).userId}${list}`)

let foundPayer: Person | undefined
/** Returns a user with a card transaction. */
async function payer(): Promise<Person> {
  if (foundPayer !== undefined) return foundPayer
  foundPayer = await newCardholder(service)
  await foundPayer.send('authorization', '10.00')
  return foundPayer
}

async function blocking() {
  return { command: 'user block', subject: (await service.newUser()).userId }
}

/** Returns an open proposal of Ada. */
async function open() {
  const change = { command: 'operator add', subject: newWallet().address, arguments: { role: 'viewer', person: 'Eve' } }
  return (await propose(ada, change)).body
}

/** Causes the rejections that no single request can. */
async function causeRemainingRejections(): Promise<void> {
  const sent = await signed(ada, await blocking())
  const stolen = { ...sent, signed: { ...sent.signed, signature: '0x' } }
  await ada.ask('POST', '/proposals', stolen)
  const { expires: _expires, ...prepared } = (await ada.ask('POST', '/proposals', sent)).body
  await ada.ask('POST', '/proposals', { ...prepared, command: 'user block', subject: randomUUID(), reason: 'a test' })
  await ada.ask('POST', '/proposals', { command: 'user block', subject: randomUUID(), reason: 'a test' })
  const late = await ada.ask('POST', '/proposals', { ...(await blocking()), reason: 'a test' })
  const typedData = { ...late.body.typedData, message: { ...late.body.typedData.message, expires: '1' } }
  const signature = await signDecision(ada.wallet, typedData)
  const { subject } = typedData.message
  const given = { stateHash: late.body.stateHash, expires: 1, signature }
  await ada.ask('POST', '/proposals', { command: 'user block', subject, reason: 'a test', signed: given })
  const body = await signed(ada, { ...(await blocking()), reason: 'first' })
  await propose(bob, { command: body.command, subject: body.subject, reason: 'bob' })
  await ada.ask('POST', '/proposals', body)
  const proposal = await open()
  await approve(ada, proposal)
  await ada.ask('POST', `/proposals/${proposal.proposalId}/reject`, { reason: 'a test' })
  await approve(bob, proposal)
  await bob.ask('POST', `/proposals/${proposal.proposalId}/reject`, { reason: 'a test' })
  const { message, signature: wrong } = await operatorMessage(service, newWallet())
  await service.request('POST', '/operator/session', { body: { message, signature: wrong } })
  await service.request('POST', '/operator/session', { body: { message, signature: wrong, via: 'cookie' } })
  await service.request('POST', '/operator/session', { body: { message: 'x'.repeat(100_000), signature: wrong } })
  await ada.ask('GET', `/users/${(await payer()).userId}/movements/999`)
  await ada.ask('GET', '/evidence?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')
  const reveal = `/users/${(await payer()).userId}/reveal`
  await ada.ask('POST', reveal, { reason: 'x'.repeat(100_000) })
  await ada.ask('POST', reveal, 'x', { 'content-type': 'text/plain' })
  const headers = { 'content-type': 'text/plain' }
  await service.request('POST', '/operator/session', { body: 'x', headers })
}

/** `server/test/flows/operator-decision-routes.test.ts` tests the routes of single commands. */
const decisions = decisionRouteTable.map(({ operationId }): string => operationId)
const operationsOf = (item: Record<string, any>) =>
  Object.entries(item).filter(([, { operationId }]) => operationId && !decisions.includes(operationId))

test('every status that openapi.operator.json declares occurs in some response, with the declared body', async () => {
  for (const { path, item } of [...templates]) {
    for (const [name, { responses, parameters = [] }] of operationsOf(item)) {
      const method = name.toUpperCase()
      const declares = (status: number) => String(status) in responses
      const url = (id: () => string) => path.replaceAll(/\{[^}]+\}/g, () => id()).slice('/operator'.length)
      const body = method === 'GET' || method === 'DELETE' ? undefined : { reason: 'a test', signature: '0x' }
      const make = good[`${method} ${path}`]
      if (make !== undefined) await make()
      else expect((await ada.ask(method, path.slice('/operator'.length))).status, `${method} ${path}`).toBe(200)
      if (declares(401)) await service.request(method, `/operator${url(randomUUID)}`)
      const headers = {
        ...fromConsole,
        origin: 'https://evil.example',
        cookie: `purser-operator=pso_${'a'.repeat(43)}`,
      }
      if (declares(403)) await service.request(method, `/operator${url(randomUUID)}`, { headers })
      if (declares(404)) await ada.ask(method, url(randomUUID), body)
      if (!declares(400)) continue
      const hasParameter = path.includes('{') || parameters.length > 0
      await ada.ask(method, hasParameter ? `${url(() => 'x')}?limit=0` : url(randomUUID), body && [])
    }
  }
  await causeRemainingRejections()
  const declared = templates.flatMap(({ path, item }) =>
    operationsOf(item).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  )
  const missing = declared.filter(
    (each) => !seen.has(each) && !outOfReach.some((status) => each.endsWith(` ${status}`)),
  )
  expect(missing).toEqual([])
})

test('hostile text in any field of a request under /operator causes no internal error and no leak', async () => {
  const texts = ['', '\u0000', '\ud800', '__proto__', "'; drop table operator; --", 'x'.repeat(5000), '%00', '../..']
  const check = ({ status, text }: Reply, what: string) => {
    expect(status, `${what}: ${text}`).toBeLessThan(500)
    expect(text).not.toMatch(/\n\s+at |node:|\.ts:\d|postgres/i)
  }
  for (const hostile of texts) {
    for (const { path, item } of templates) {
      for (const [method, { parameters = [] }] of Object.entries<{ parameters?: any[] }>(item)) {
        const url = path.slice('/operator'.length).replaceAll(/\{[^}]+\}/g, encodeURIComponent(hostile.toWellFormed()))
        const text = encodeURIComponent(hostile.toWellFormed())
        const queries = parameters.filter((each) => each.in === 'query').map(({ name }) => `?${name}=${text}`)
        const fields = ['command', 'subject', 'reason', 'message', 'signature', 'arguments', 'signed']
        const bodies = fields.map((field) => ({ ...(known as object), [field]: hostile }))
        for (const body of method === 'get' || method === 'delete' ? [undefined] : bodies)
          for (const query of ['', ...queries])
            check(await bob.ask(method.toUpperCase(), `${url}${query}`, body), `${method} ${path}${query}`)
        if (url.includes('/sessions')) bob = await newOperator(service, 'admin')
      }
    }
  }
})

test('a cursor with any key in any list under /operator causes no internal error', async () => {
  const { userId } = await payer()
  const { partnerId } = await newPartner(service)
  const times = ['2026-02-30T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']
  const keys = [...times, randomUUID(), '-1', '9'.repeat(18), 'x', '\u0000']
  const pairs = keys.flatMap((one) => keys.map((other) => [one, other]))
  const cursors = [...keys.map((key) => [key]), ...pairs, ...keys.map((key) => [key, key, 'x', key])]
  const lists = templates.filter(({ item }) => item['get']?.parameters?.some(({ name }: any) => name === 'cursor'))
  expect(lists.length).toBeGreaterThan(5)
  for (const { path, item } of lists) {
    const url = path.slice('/operator'.length).replace('{userId}', userId).replace('{partnerId}', partnerId)
    const needed = item['get'].parameters.some(({ name }: any) => name === 'state')
    const ask = async (cursor: string[]) => {
      const query = new URLSearchParams({ cursor: Buffer.from(JSON.stringify(cursor)).toString('base64url') })
      if (needed) query.set('state', url.includes('payouts') ? 'open' : 'waiting')
      const { status, text } = await ada.ask('GET', `${url}?${query}`)
      expect(status, `${path} ${cursor}: ${text}`).toBeLessThan(500)
      return status
    }
    expect(await Promise.all(cursors.map(ask)), path).toContain(400)
  }
})

const known = { command: 'user block', subject: randomUUID(), reason: 'a test', signature: '0x', message: 'x' }
