import { operatorCommands } from '../src/config/operators.ts'
import { refusals } from '../src/lib/errors.ts'
import { operatorPermissions } from '../src/lib/operator-permission.ts'
import { commands } from '../src/operators/commands.ts'
import { decisionRouteTable } from '../src/operators/decision-route-table.ts'

/**
 * Writes the table of operator operations that the command line turns into commands. Reads come from the OpenAPI
 * documents, and decisions from the table of operator commands. Also writes the sentences of the error codes for the
 * command line and the pages, because responses may have the code alone.
 */
type Schema = {
  readonly $ref?: string
  readonly enum?: readonly string[]
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Schema>>
}
type Parameter = {
  readonly $ref?: string
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema: Schema
}
type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

const prefix = 'operator.'
/** Signing in, proposing and approving need a wallet, so the command line has code of its own for them. */
const byHand: readonly string[] = ['operator.signIn', 'operator.proposals.create', 'operator.proposals.approve']
/** The routes of single decisions. Their commands come from the table of the decisions. */
const ofDecisions: readonly string[] = decisionRouteTable.map(({ operationId }) => operationId)

/** Returns the generated files by their paths. */
export function cliSources(text: string): Record<string, string> {
  const document: Document = JSON.parse(text)
  const operations = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .filter(({ operationId }) => operationId?.startsWith(prefix) && ![...byHand, ...ofDecisions].includes(operationId))
    .map((operation) => operationOf(document, operation))
  return {
    'cli/src/operator-table.ts': `// Generated from the OpenAPI documents and the commands of operators by \`npm run build\`; do not edit.

import type { OperatorDecision, OperatorOperation } from './operator-types.ts'

export const operatorOperations: readonly OperatorOperation[] = ${JSON.stringify(operations, null, 2)}

export const operatorDecisions: readonly OperatorDecision[] = ${JSON.stringify(decisions(), null, 2)}
`,
    'cli/src/sentences.ts': sentencesModule,
  }
}

/** Returns the modules that contain the sentences of errors and the permissions, for the pages. */
export function consoleSource(): Record<string, string> {
  const permissionOf = Object.fromEntries(Object.entries(commands).map(([name, { permission }]) => [name, permission]))
  return {
    'web/src/ui/text/errors/api.ts': sentencesModule,
    'web/src/console/operator/permissions.ts': `// Generated from the permissions and commands of operators by \`npm run build\`; do not edit.
import type { Operator, OperatorCommand, OperatorPermission } from '@purser/client'

/** The roles that have each permission. */
export const rolesOf: Readonly<Record<OperatorPermission, readonly Operator['role'][]>> = ${JSON.stringify(operatorPermissions, null, 2)}

/** The permission that each command needs, so that no screen offers a change that the service would reject. */
export const permissionOf: Readonly<Record<OperatorCommand, OperatorPermission>> = ${JSON.stringify(permissionOf, null, 2)}
`,
  }
}

const sentences = Object.fromEntries(Object.entries(refusals).map(([code, [, sentence]]) => [code, sentence]))

const sentencesModule = `// Generated from server/src/lib/errors.ts by \`npm run build\`; do not edit.

/** The sentence of each error code. */
export const sentences: Readonly<Record<string, string>> = ${JSON.stringify(sentences, null, 2)}
`

function operationOf({ components }: Document, { operationId, summary, parameters = [], requestBody }: Operation) {
  const body = resolved(requestBody?.content['application/json']?.schema ?? {}, components.schemas)
  const given = parameters
    .map((each) => resolved(each, components.parameters))
    .filter((each) => each.in === 'path' || each.in === 'query')
  const order = ['path', 'query']
  return {
    id: operationId.slice(prefix.length),
    summary,
    parameters: given
      .toSorted((one, other) => order.indexOf(one.in) - order.indexOf(other.in))
      .map(({ in: place, name, required = false, schema }) => {
        const { enum: choices, maximum } = resolved(schema, components.schemas)
        return { name, in: place, isRequired: required, choices, maximum }
      }),
    fields: Object.keys(body.properties ?? {}),
  }
}

function resolved<T extends { readonly $ref?: string }>(given: T, shared: Readonly<Record<string, T>>): T {
  const name = given.$ref?.split('/').at(-1)
  return name === undefined ? given : (shared[name] ?? given)
}

function decisions() {
  return decisionRouteTable.map(({ command, subject }) => ({
    command,
    people: operatorCommands[command].policy,
    ...('is' in subject ? { is: subject.is } : { subject: 'path' in subject ? subject.path : subject.body }),
    arguments: Object.entries(commands[command].arguments).map(([name, { pattern, requirement }]) => ({
      name,
      requirement,
      choices: /^\^\((\w+(?:\|\w+)*)\)\$$/.exec(pattern.source)?.[1]?.split('|'),
    })),
  }))
}
