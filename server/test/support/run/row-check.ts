import { Compile, type Validator } from 'typebox/compile'
import { rowShapeOf } from '../../../src/platform/db/row-shapes.ts'
import { assertStatementRules } from './statement-rules.ts'

const validators = new Map<string, Validator | null>()

function validatorOf(text: string): Validator | null {
  let validator = validators.get(text)
  if (validator === undefined) {
    const shape = rowShapeOf(text)
    validator = shape === undefined ? null : Compile(shape)
    validators.set(text, validator)
  }
  return validator
}

/** Checks each statement that a test sends, and the rows that come back if the statement declares their shape. */
export function observeStatement(text: string): ((rows: readonly unknown[]) => void) | undefined {
  assertStatementRules(text)
  const validator = validatorOf(text)
  if (validator === null) return undefined
  return (rows) => {
    const wrong = rows.find((row) => !validator.Check(row))
    if (wrong === undefined) return
    const [error] = validator.Errors(wrong)
    throw new Error(`a row's ${error?.instancePath} ${error?.message}: ${text}`)
  }
}
