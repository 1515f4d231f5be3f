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

test('a schema with a title moves to the components under it', () => {
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

test('two schemas with the same title are rejected', () => {
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
