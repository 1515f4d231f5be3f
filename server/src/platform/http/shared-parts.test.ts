import { expect, test } from 'vitest'
import { shareParts } from './shared-parts.ts'

const error = (...codes: string[]) => ({
  description: codes.join(),
  content: { 'application/json': { schema: { properties: { error: { type: 'string', enum: codes } } } } },
})
const key = { name: 'Idempotency-Key', in: 'header' }
const money = { title: 'Money', type: 'object', properties: { amount: { type: 'string' } } }
const response = { description: 'ok', content: { 'application/json': { schema: money } } }

test('repeated errors and parameters move to the components, and single ones stay', () => {
  const document = {
    paths: {
      '/a': { get: { parameters: [key], responses: { 404: error('CARD_NOT_FOUND'), 422: error('A_B', 'C_D') } } },
      '/b': {
        get: { parameters: [key], responses: { 404: error('CARD_NOT_FOUND'), 422: error('A_B', 'C_D') } },
        post: { responses: { 404: error('OWNER_NOT_FOUND') } },
      },
    },
  }
  const reference = { $ref: '#/components/responses/CardNotFound' }
  const shared = {
    parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
    responses: { 404: reference, 422: { $ref: '#/components/responses/AB2' } },
  }
  expect(shareParts(document)).toEqual({
    paths: { '/a': { get: shared }, '/b': { get: shared, post: { responses: { 404: error('OWNER_NOT_FOUND') } } } },
    components: {
      schemas: {},
      parameters: { IdempotencyKey: key },
      responses: { CardNotFound: error('CARD_NOT_FOUND'), AB2: error('A_B', 'C_D') },
    },
  })
})

test('errors with the same first code and number of codes get different names', () => {
  const [one, other] = [error('A', 'B', 'C'), error('A', 'D', 'E')]
  const responses = { 401: other, 403: one }
  const { components } = shareParts({ paths: { '/a': { get: { responses }, post: { responses } } } })
  expect(components).toMatchObject({ responses: { A3: other, AOrC: one } })
})

test('a schema with a title moves to the components under that title', () => {
  const { title, ...schema } = money
  expect(shareParts({ paths: { '/a': { get: { responses: { 200: response } } } } })).toMatchObject({
    paths: {
      '/a': {
        get: {
          responses: {
            200: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${title}` } } } },
          },
        },
      },
    },
    components: { schemas: { Money: schema } },
  })
})

test('two different schemas with the same title are rejected', () => {
  const other = { ...money, properties: {} }
  const schemas = { one: { allOf: [money, other] } }
  expect(() => shareParts({ paths: {}, components: { schemas } })).toThrow('two schemas have the title Money')
})

test('a common schema moves to the components under its name, and its variants stay', () => {
  const uuid = { type: 'string', format: 'uuid' }
  const schema = { type: 'object', properties: { id: uuid, other: { ...uuid, description: 'Another one.' } } }
  const shared = shareParts({ paths: {}, components: { schemas: { Thing: schema } } }, { Uuid: uuid })
  expect(shared).toMatchObject({
    components: {
      schemas: {
        Thing: { properties: { id: { $ref: '#/components/schemas/Uuid' }, other: { format: 'uuid' } } },
        Uuid: uuid,
      },
    },
  })
})

test('a nullable scalar has one list of types, and null is one of its choices', () => {
  const nullable = (type: object) => ({ anyOf: [type, { type: 'null' }] })
  const properties = {
    status: nullable({ type: 'string', enum: ['on', 'off'], description: 'The state.' }),
    code: nullable({ type: 'string', pattern: '^[A-Z]$' }),
    list: nullable({ type: 'array' }),
  }
  expect(shareParts({ paths: {}, components: { schemas: { Thing: { type: 'object', properties } } } })).toMatchObject({
    components: {
      schemas: {
        Thing: {
          properties: {
            status: { type: ['string', 'null'], enum: ['on', 'off', null], description: 'The state.' },
            code: { type: ['string', 'null'], pattern: '^[A-Z]$' },
            list: properties.list,
          },
        },
      },
    },
  })
})

test('of two repeated parameters with the same name, the second has the tag of its operation in the name of its component', () => {
  const limit = (maximum: number) => ({ name: 'limit', in: 'query', required: false, schema: { maximum } })
  const operation = (tag: string, maximum: number) => ({ tags: [tag], parameters: [limit(maximum)], responses: {} })
  const [user, operator] = [operation('User Movements', 1), operation('Operator', 2)]
  const { components } = shareParts({
    paths: { '/a': { get: user, put: user }, '/b': { get: operator, put: operator } },
  })
  const shared = (maximum: number) => ({ name: 'limit', in: 'query', schema: { maximum } })
  expect(components).toMatchObject({ parameters: { Limit: shared(1), OperatorLimit: shared(2) } })
})

test('a repeated success response moves to the components under the name of its schema and its status', () => {
  const { title: _title, ...schema } = money
  const responses = { 200: response }
  expect(shareParts({ paths: { '/a': { get: { responses }, post: { responses } } } })).toMatchObject({
    paths: { '/a': { get: { responses: { 200: { $ref: '#/components/responses/Money200' } } } } },
    components: { schemas: { Money: schema } },
  })
})

test('a record with all fields of a base becomes its additional fields and a reference to the base', () => {
  const key = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, name: { type: 'string' } } }
  const record = (required: string[], more: object = {}) => ({
    type: 'object',
    required,
    properties: { ...key.properties, secret: { type: 'string' } },
    description: 'A record.',
    ...more,
  })
  const closed = record(['id'], { additionalProperties: false })
  const stricter = record(['id', 'name'])
  const schemas = { Key: key, NewKey: record(['id', 'secret']), Closed: closed, Stricter: stricter, Same: key }
  expect(shareParts({ paths: {}, components: { schemas } }, {}, ['Key'])).toMatchObject({
    components: {
      schemas: {
        Key: key,
        NewKey: {
          allOf: [
            { $ref: '#/components/schemas/Key' },
            { type: 'object', required: ['secret'], properties: { secret: { type: 'string' } } },
          ],
          description: 'A record.',
        },
        Closed: closed,
        Stricter: stricter,
        Same: key,
      },
    },
  })
})
