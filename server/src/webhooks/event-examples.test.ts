import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { eventTypes } from '../events/rules.ts'
import { sharedSchemas } from '../platform/http/schemas.ts'
import { statementItemSchemas } from '../statement-items/schemas.ts'
import { exampleOf } from './event-examples.ts'
import { envelope } from './rules.ts'
import { eventSchemas } from './schemas.ts'

const ajv = new Ajv({ strict: false })
formats.default(ajv)
for (const schema of [...sharedSchemas, ...statementItemSchemas]) ajv.addSchema(schema)
const schemas = eventSchemas.map((schema) => ajv.compile(schema))

test.each(eventTypes)('the test event of %s has the form of the real one, and is marked as a test', (type) => {
  const fields = JSON.stringify(exampleOf(type))
  const eventId = '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a'
  const event = JSON.parse(envelope({ eventId, type, createdAt: new Date(0), fields, of: null, isTest: true }))
  expect(event).toMatchObject({ type, test: true })
  // Each type belongs to exactly one schema.
  expect(schemas.filter((isOne) => isOne(event))).toHaveLength(1)
})
