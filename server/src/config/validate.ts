import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { formats } from './formats.ts'

/** Validates settings by their schemas. Each problem is a sentence that begins with the variable. */

const ajv = new Ajv({ allErrors: true, verbose: true, strict: false })
for (const [name, { test }] of Object.entries(formats)) ajv.addFormat(name, test)
const compiled = new WeakMap<TSchema, ValidateFunction>()

/** Returns one sentence for each problem of a value. A secret value is not echoed. */
export function findProblems(name: string, schema: TSchema, value: unknown, isSecret: boolean): readonly string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  if (validate(value)) return []
  const problems = (validate.errors ?? []).flatMap((error) => sentenceFor(name, error, isSecret))
  return [...new Set(problems)]
}

function sentenceFor(name: string, error: ErrorObject, isSecret: boolean): string[] {
  const { keyword, params, instancePath, data } = error
  const parent: TSchema = error.parentSchema ?? {}
  const subject = `${name}${pathOf(instancePath)}`
  // The error of `propertyNames` itself follows, with the schema that holds the requirement.
  if (error.propertyName !== undefined) return []
  switch (keyword) {
    case 'required':
      return [`${subject} must have the field "${params['missingProperty']}".`]
    case 'additionalProperties': {
      const known = Object.keys(Object(Object(parent)['properties']))
      return [`${subject} must not have the field "${params['additionalProperty']}". It may have ${known.join(', ')}.`]
    }
    case 'propertyNames': {
      const { propertyNames } = Object(parent)
      return [
        `${subject} must not have the field "${params['propertyName']}". A field is ${requirementOf(propertyNames)}.`,
      ]
    }
    case 'minItems':
      return [`${subject} must list at least one ${Object(parent)['entry'] ?? 'entry'}.`]
    case 'minLength':
      return [`${subject} must have at least ${params['limit']} ${params['limit'] === 1 ? 'character' : 'characters'}.`]
    default:
      return [`${subject} must be ${requirementOf(parent)}${isSecret ? '' : shown(data)}.`]
  }
}

/** Completes the sentence "must be …" for a schema. */
function requirementOf(schema: object): string {
  const { requirement, format, type, minimum, maximum, enum: values } = Object(schema)
  if (typeof requirement === 'string') return requirement
  for (const [name, known] of Object.entries(formats)) if (format === name) return known.requirement
  if (Array.isArray(values)) return listed(values)
  if (type === 'integer') return `an integer from ${minimum} to ${maximum}`
  if (type === 'boolean') return 'on or off'
  if (type === 'array') return 'a JSON array'
  return type === 'object' ? 'a JSON object' : `a ${type}`
}

function listed(values: readonly string[]): string {
  return [values.slice(0, -1).join(', '), ...values.slice(-1)].filter(Boolean).join(' or ')
}

/** Converts a path such as `/0/address` to `[0].address`. */
function pathOf(instancePath: string): string {
  const parts = instancePath.split('/').slice(1)
  return parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^[0-9]{1,3}$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
}

const maxShownCharacters = 80

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return `, not ${text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text}`
}
