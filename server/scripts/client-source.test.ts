import { expect, test } from 'vitest'
import { clientSources } from './client-source.ts'

const page = (pagination: object) => ({
  description: 'The items.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          data: { type: 'array', items: { $ref: '#/components/schemas/Item' } },
          pagination: { type: 'object', properties: pagination },
        },
      },
    },
  },
})
const after = { name: 'after', in: 'query', schema: { type: 'string', format: 'uuid' } }

function documentOf(operation: object, [method, path]: [string, string] = ['get', '/items']): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: {
      [path]: { [method]: { summary: 'Use items', security: [{ bearer: [] }], responses: {}, ...operation } },
    },
    webhooks: {},
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        signed: { type: 'apiKey', in: 'header', name: 'x' },
      },
      parameters: { Key: { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } } },
      schemas: {
        Item: { type: 'object', properties: { name: { type: 'string' }, itemId: { type: 'string', format: 'uuid' } } },
      },
    },
  })
}

const tableOf = async (...given: Parameters<typeof documentOf>) =>
  (await clientSources(documentOf(...given)))['client/src/operations.ts']

test('a new operation becomes a method of its resource, with the flags of its document', async () => {
  const listed = { operationId: 'shop.items.list', responses: { 200: page({ hasNext: { type: 'boolean' } }) } }
  expect(await tableOf({ ...listed, parameters: [after] })).toContain("list: 'GET /items qp:after=itemId',")
  const cursors = { ...listed, responses: { 200: page({ nextCursor: { type: 'string' } }) } }
  expect(await tableOf({ ...cursors, security: [] })).toContain("list: 'GET /items oc',")
  const body = { content: { 'application/json': { schema: { type: 'object', required: ['name'] } } } }
  const created = {
    operationId: 'items.create',
    parameters: [{ $ref: '#/components/parameters/Key' }],
    requestBody: body,
  }
  expect(await tableOf(created, ['post', '/items'])).toContain("create: 'POST /items bk',")
  const types = (await clientSources(documentOf(created, ['post', '/items'])))['client/src/resources.ts']
  expect(types).toContain("create(body: BodyOf<'items.create'>, options?: CallOptions): Call<ResultOf<'items.create'>>")
})

test('an alias of a path is no method, but raw requests know its flags', async () => {
  const given: Parameters<typeof documentOf> = [{ operationId: 'items.createAlias' }, ['post', '/goods']]
  const [methods, aliases] = (await tableOf(...given))?.split('export const aliases') ?? []
  expect(methods).not.toContain('createAlias')
  expect(aliases).toContain("createAlias: 'POST /goods',")
  expect((await clientSources(documentOf(...given)))['client/src/resources.ts']).not.toContain('createAlias')
})

test('operations that processors and providers sign are not methods of the client', async () => {
  expect(await tableOf({ operationId: 'items.send', security: [{ signed: [] }] })).not.toContain('send')
})

test.each(['createItem', 'items.Create', 'items', 'request.send', 'items..create'])(
  'the operationId "%s" is rejected, because it names no resource and method',
  async (operationId) => {
    await expect(tableOf({ operationId })).rejects.toThrow('must be a resource and a method')
  },
)

test('a list whose items have no field for its parameter is rejected', async () => {
  const listed = { operationId: 'items.list', responses: { 200: page({ hasNext: { type: 'boolean' } }) } }
  const unknown = { ...after, schema: { type: 'string' } }
  await expect(tableOf({ ...listed, parameters: [unknown] })).rejects.toThrow('"after"')
})
