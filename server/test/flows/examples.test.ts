import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchOpenApi } from '../acceptance/document.ts'
import { processEnv } from '../support/process-env.ts'
import { newWallet, startService, type TestService } from '../support/service.ts'
import { documentedCommands, runDocumented } from '../support/shell.ts'

let service: TestService
let document: any
beforeAll(async () => {
  service = await startService()
  document = await fetchOpenApi(service.url)
})
afterAll(() => service.stop())

function resolved(schema: any): any {
  if (schema?.$ref === undefined) return schema
  return schema.$ref
    .slice(2)
    .split('/')
    .reduce((part: any, name: string) => part[name], document)
}

/** Builds the body of a request form of the reference page: the example of the whole schema, or those of its parts. */
function exampleOf(schema: any): any {
  const {
    examples,
    enum: [first] = [],
    properties,
    items,
    minimum,
    default: fallback = first ?? minimum,
  } = resolved(schema)
  if (examples !== undefined) return examples[0]
  if (items !== undefined) return [exampleOf(items)]
  if (properties === undefined) return fallback
  const parts = Object.entries(properties).map(([name, part]) => [name, exampleOf(part)])
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined))
}

function bodyOf(path: string, method: string): any {
  const { example, schema } = document.paths[path][method].requestBody.content['application/json']
  return example ?? exampleOf(schema)
}

test('every example of the API documents satisfies its schema', () => {
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  ajv.addSchema({ $id: 'document', ...document })
  const wrong: string[] = []
  // Visits every schema in the document.
  function judge(part: any, pointer: string): void {
    if (part === null || typeof part !== 'object') return
    if (Array.isArray(part.examples)) {
      const validate = ajv.getSchema(`document#${pointer}`)
      if (validate === undefined || !part.examples.every((example: unknown) => validate(example))) wrong.push(pointer)
    }
    if (part.example !== undefined && ajv.getSchema(`document#${pointer}/schema`)?.(part.example) !== true) {
      wrong.push(pointer)
    }
    for (const [name, each] of Object.entries(part)) {
      if (name === 'examples' || name === 'example') continue
      judge(each, `${pointer}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    }
  }
  judge(document.paths, '/paths')
  for (const kind of ['schemas', 'parameters', 'responses']) judge(document.components[kind], `/components/${kind}`)
  judge(document.webhooks, '/webhooks')
  expect(wrong).toEqual([])
})

test('no field with a default is required in a request', () => {
  const operations = Object.values<any>(document.paths).flatMap((item) => Object.values<any>(item))
  const bodies = operations.flatMap(({ requestBody }) => Object.values<any>(requestBody?.content ?? {}))
  const wrong = bodies.flatMap(({ schema }) => {
    const { required = [], properties = {} } = resolved(schema)
    return required.filter((name: string) => properties[name]?.default !== undefined)
  })
  expect(wrong).toEqual([])
})

test('the API descriptions of withdrawals name each way to follow a withdrawal', () => {
  const described = (path: string, method: string): string => document.paths[path][method].description
  const follow = ['GET /user/withdrawals/{withdrawalId}', 'GET /user/statement', '`withdrawalId`']
  for (const part of [...follow, 'GET /user/withdrawals lists'])
    expect(described('/user/withdrawal', 'post')).toContain(part)
  for (const part of follow) expect(described('/user/withdrawals', 'get')).toContain(part)
  expect(document.paths['/user/withdrawals/{withdrawalId}'].get).toBeDefined()
})

test('every hash and risk score has an example of its format', () => {
  const formats: Record<string, RegExp> = { txHash: /^0x[0-9a-f]{64}$/, riskScore: /^([0-9]|[1-9][0-9]|100)$/ }
  const examples: Record<string, unknown[]> = { txHash: [], riskScore: [] }
  function collect(part: any): void {
    if (part === null || typeof part !== 'object') return
    for (const [name, field] of Object.entries<any>(part.properties ?? {})) {
      examples[name]?.push(resolved(field.anyOf?.[0] ?? field).examples?.[0])
    }
    Object.values(part).forEach(collect)
  }
  collect(document)
  for (const [name, format] of Object.entries(formats)) {
    expect(examples[name]?.length, name).toBeGreaterThan(1)
    for (const example of examples[name] ?? []) expect(String(example), name).toMatch(format)
  }
})

test('no optional header or query parameter has an example, because request forms would send it', () => {
  const operations = Object.values<any>(document.paths).flatMap((item) => Object.values<any>(item))
  const optional = operations
    .flatMap(({ parameters = [] }) => [...parameters, ...Object.values<any>(document.components.parameters)])
    .filter(({ $ref }) => $ref === undefined)
    .filter((each) => each.required !== true && [each.example, each.examples, each.schema.examples].some(Boolean))
  expect(optional).toEqual([])
})

test('the example requests of the document work once their ids exist', async () => {
  const { userId, token } = await service.newUser()
  const strangers = await service.signIn(newWallet())
  const statuses: Record<string, number> = {}

  async function send(path: string, own: object = {}, { as = token, url = path, method = 'post' } = {}) {
    const body = { ...bodyOf(path, method), ...own }
    const reply = path.startsWith('/sandbox/')
      ? await service.sandbox(method.toUpperCase(), url.replace('/sandbox', ''), body)
      : await service.request(method.toUpperCase(), url, { token: as, body })
    statuses[`${method} ${path}`] = reply.status
    return reply.body
  }

  await send('/sandbox/users', { address: newWallet().address })
  const { cardId } = await send('/cards/virtual')
  await send('/sandbox/deposits', { userId })
  await send('/sandbox/transactions', { card_id: cardId })
  const { withdrawalId } = await send('/user/withdrawal')
  await send('/user/withdrawals')
  await service.jobs.runDue()
  await send('/sandbox/withdrawals/{withdrawalId}', {}, { url: `/sandbox/withdrawals/${withdrawalId}` })
  await send('/api/v1/kyc/import-partner-applicant')
  for (const change of ['block', 'unblock', 'status']) {
    await send(`/sandbox/cards/{cardId}/${change}`, {}, { url: `/sandbox/cards/${cardId}/${change}` })
  }
  await send('/sandbox/users/{userId}', {}, { url: `/sandbox/users/${userId}`, method: 'patch' })

  await send('/email-verification', {}, { as: strangers })
  const { accessToken } = await send('/user', {}, { as: strangers })
  await send('/user/terms', {}, { as: accessToken })
  await send('/source-of-funds', {}, { as: accessToken })

  await send('/partner')
  await send('/partner/invitations')
  await send('/partner/domains')
  await send('/partner/kyc-clients')
  const { keyId } = await send('/partner/api-keys')
  await send('/partner/api-keys/{keyId}/rotate', {}, { url: `/partner/api-keys/${keyId}/rotate` })
  const { endpointId } = await send('/partner/webhooks')
  const url = `/partner/webhooks/${endpointId}`
  await send('/partner/webhooks/{endpointId}', {}, { url, method: 'patch' })
  await send('/partner/webhooks/{endpointId}/rotate', {}, { url: `${url}/rotate` })

  // Last, because moving the clock expires the access tokens.
  await send('/sandbox/clock')
  expect(Object.entries(statuses).filter(([, status]) => status >= 300)).toEqual([])
})

const firstCard = (url: string) => {
  const script = join(import.meta.dirname, '../../../examples/first-card.ts')
  return promisify(execFile)(process.execPath, [script], { env: { ...processEnv, BASE_URL: url } })
}

test('the example of the README makes a card payment and prints a usable access token', async () => {
  const { stdout } = await firstCard(service.url)
  expect(stdout).toContain('-9.99 EUR  Corner Shop (pending)')
  expect(stdout).toContain('Balance: 15.01 EUR')
  const [, token = ''] = stdout.match(/BEARER=(.+)/) ?? []
  expect((await service.request('GET', '/user/statement', { token })).body.data).toHaveLength(2)
})

test('the example of the README explains that no service is running', async () => {
  await expect(firstCard('http://127.0.0.1:1')).rejects.toMatchObject({
    code: 1,
    stderr: 'Cannot reach Purser at http://127.0.0.1:1. Start it in another terminal: npm start\n',
  })
})

test('the curl commands of the README work each time they are run', async () => {
  const commands = await documentedCommands('README.md', 'curl -sw')
  for (let run = 0; run < 2; run++) {
    const [nonce = '', made = ''] = (await runDocumented(commands, service.url)).trim().split('\n')
    expect(nonce).toMatch(/^[A-Za-z0-9]{8,}$/)
    expect(JSON.parse(made)).toMatchObject({ userId: expect.any(String), accountAddress: expect.any(String) })
  }
})
