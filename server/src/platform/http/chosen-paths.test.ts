import { expect, test } from 'vitest'
import { choosePaths } from './chosen-paths.ts'

const refer = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

test('a document of chosen paths has only the tags and components that they use, also through other components', () => {
  const document = {
    info: {},
    servers: [],
    tags: [{ name: 'Cards' }, { name: 'Operator' }],
    paths: {
      '/cards': {
        get: { tags: ['Cards'], security: [{ bearer: [] }], responses: { 200: refer('responses', 'Cards') } },
      },
      '/operator': {
        get: { tags: ['Operator'], security: [{ operator: [] }], parameters: [refer('parameters', 'Id')] },
      },
    },
    components: {
      securitySchemes: { bearer: {}, operator: {} },
      schemas: { Card: { properties: { limits: refer('schemas', 'Limits') } }, Limits: {}, Uuid: {} },
      parameters: { Id: { schema: refer('schemas', 'Uuid') } },
      responses: { Cards: { content: refer('schemas', 'Card') } },
    },
  }
  const { tags, paths, components } = choosePaths(document, (path) => path === '/cards')
  expect(tags).toEqual([{ name: 'Cards' }])
  expect(Object.keys(paths)).toEqual(['/cards'])
  const { securitySchemes, schemas, parameters, responses } = components
  expect([securitySchemes, parameters, responses]).toEqual([{ bearer: {} }, {}, { Cards: expect.anything() }])
  expect(Object.keys(schemas ?? {})).toEqual(['Card', 'Limits'])
})
