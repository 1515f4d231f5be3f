import { List } from '../../../client/src/call.ts'
import type { BodyOf, Query, ResultOf, TypedData } from '../../../client/src/index.ts'
import { type Command, Failure, type Given, type Option } from '../command.ts'
import { type Context, type OperatorWallet, operatorClient } from '../context.ts'
import { type DecisionTerms, hashState, type State, typedDecision } from '../decisions.ts'
import { timeOf } from '../durations.ts'
import { operatorDecisions, operatorOperations } from '../operator-table.ts'
import { columns, descriptions, effects, nouns, thirdPerson } from '../operator-texts.ts'
import type { OperatorDecision, OperatorOperation } from '../operator-types.ts'
import { onOneLine } from '../output.ts'

/**
 * The operator API as commands. An operation without a signature is a command with the name of the operation. A
 * decision is a command with the words that operators sign. A wallet signs decisions. The command builds the text to
 * sign itself, so the service cannot make the wallet sign another change.
 */
const reason: Option = {
  name: 'reason',
  value: 'text',
  description: describe('reason'),
  isRequired: true,
}
const yes: Option = { name: 'yes', description: 'Signs without asking for confirmation' }

const defaultLimit = 50
const maxLimit = 100_000
/** An evidence bundle of a quarter may take minutes. */
const timeoutMilliseconds = 600_000

const kebab = (text: string) => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Returns the words of an operation: `users.listCards` is `operator users cards`. */
function wordsOf(id: string): string {
  const names = id.split('.').map((name) => kebab(name))
  const verb = names.at(-1)?.replace(/^(list|get)-/, '') ?? ''
  return ['operator', ...names.slice(0, -1), verb].join(' ')
}

function readCommand({ id, summary, parameters, fields }: OperatorOperation): Command {
  const typed = parameters.filter(({ name }) => name !== 'cursor' && name !== 'after')
  // The text of a search is an argument, because it needs no name.
  const isArgument = (each: { in: string; name: string }) => each.in === 'path' || each.name === 'q'
  const options = typed.filter((each) => !isArgument(each))
  return {
    name: wordsOf(id),
    summary: thirdPerson(summary),
    arguments: typed.filter(isArgument).map(({ name }) => ({ name: kebab(name), description: describe(name) })),
    options: [
      ...options.map(({ name, choices, isRequired }) => ({
        name: kebab(name),
        value: name === 'limit' ? 'number' : 'text',
        description: describe(name),
        isRequired,
        ...(choices === undefined ? {} : { choices }),
      })),
      ...fields.map((name) => ({ name: kebab(name), value: 'text', description: describe(name), isRequired: true })),
    ],
    async run(context, given) {
      const isLimited = parameters.some(({ name }) => name === 'limit')
      const limit = isLimited
        ? (given.integer('limit', { min: 1, max: maxLimit }) ?? defaultLimit)
        : Number.POSITIVE_INFINITY
      const values: unknown[] = parameters.filter((each) => each.in === 'path').map(({ name }) => given.id(kebab(name)))
      const query = parameters.filter((each) => each.in === 'query')
      if (fields.length > 0) values.push(Object.fromEntries(fields.map((name) => [name, given.text(kebab(name))])))
      else if (query.length > 0) values.push(queryOf(query, given, limit))
      const { purser } = await operatorClient(context)
      const call = methodOf(purser.operator, id)(...values, { signal: context.signal, timeoutMilliseconds })
      print(context, id, call instanceof List ? await read(context, call, limit) : await call)
    },
  }
}

async function read({ out }: Context, list: List<unknown>, limit: number): Promise<unknown[]> {
  const items: unknown[] = []
  for await (const item of list) {
    if (items.push(item) >= limit) break
    out.working(`${items.length} read`)
  }
  return items
}

function describe(name: string): string {
  const description = descriptions[name]
  if (description === undefined) throw new Error(`the command line has no description of ${name}`)
  return description
}

type Parameters = OperatorOperation['parameters']

function queryOf(parameters: Parameters, given: Given, limit: number): Query {
  const pairs = parameters.flatMap(({ name, maximum = limit }): [string, string | number][] => {
    const text = given.optional(kebab(name))
    if (name === 'limit') return [[name, Math.min(limit, maximum)]]
    return text === undefined ? [] : [[name, name === 'from' || name === 'to' ? timeOf(text) : text]]
  })
  return Object.fromEntries(pairs)
}

/** Returns a method of the client by its name. The same document generates both. */
function methodOf(resources: object, id: string): (...given: unknown[]) => PromiseLike<unknown> {
  let found: unknown = resources
  for (const name of id.split('.')) found = Object(found)[name]
  if (typeof found !== 'function') throw new Error(`the client has no method operator.${id}`)
  return (...given) => found(...given)
}

function print({ out }: Context, id: string, data: unknown): void {
  if (typeof data === 'string' && data !== '') out.raw(data)
  else if (Array.isArray(data)) out.records(data, columns[id])
  else if (typeof data === 'object' && data !== null) out.record(data)
  else out.result(null, ['Done.'])
}

function decisionCommand({ command, people, subject, is, arguments: rules }: OperatorDecision): Command {
  const [noun = '', ...rest] = command.split(' ')
  const given = [...(subject === undefined ? [] : [subject]), ...rules.map(({ name }) => name)]
  const effect = effects[command]
  if (effect === undefined) throw new Error(`the command line does not know what "${command}" does`)
  const signers =
    people === 'two'
      ? 'By default, another person must approve the proposal in production.'
      : 'One person is enough by default.'
  const choicesOf = (name: string) => rules.find((rule) => rule.name === name)?.choices
  // The list of arguments already shows descriptions and choices.
  const requirements = rules
    .filter(({ name, choices }) => choices === undefined && descriptions[name] === undefined)
    .map(({ name, requirement }) => ` The ${kebab(name)} must be ${requirement}.`)
  return {
    name: ['operator', nouns[noun] ?? noun, ...rest].join(' '),
    summary: effect,
    detail: `It shows the present state, and your wallet signs "${command}". ${signers}${requirements.join('')}`,
    arguments: given.map((name) => {
      const choices = choicesOf(name)
      const description = descriptions[name] ?? `The ${kebab(name)}`
      return { name: kebab(name), description, ...(choices === undefined ? {} : { choices }) }
    }),
    options: [reason, yes],
    async run(context, typed) {
      const named = rules.map(({ name }) => [name, typed.text(kebab(name))] as const)
      const asked = {
        command,
        subject: is ?? typed.text(kebab(subject ?? '')),
        arguments: Object.fromEntries(named),
        reason: typed.text('reason'),
      }
      // The table has only commands of the API.
      await decide(context, typed, asked as Asked, [command, ...named.map(([, value]) => value)].join(' '))
    },
  }
}

type Asked = BodyOf<'operator.proposals.create'> & { readonly subject: string; readonly reason: string }
type Proposal = ResultOf<'operator.proposals.get'>

async function decide(context: Context, given: Given, asked: Asked, words: string): Promise<void> {
  const { purser, wallet, origin } = await operatorClient(context)
  const prepared = await purser.operator.proposals.create(asked)
  if (!('stateHash' in prepared) || 'proposalId' in prepared)
    throw new Failure(
      'The service asked for no signature. Check that the service and this command line have the same version.',
    )
  const { state, stateHash, expires, needed } = prepared
  show(context, { ...asked, command: words, state, needed, expires })
  const terms = { origin, command: words, subject: asked.subject, reason: asked.reason, stateHash, expires }
  const signature = await sign(context, given, wallet, { ...terms, state, typedData: prepared.typedData })
  const proposal = await purser.operator.proposals.create({ ...asked, signed: { stateHash, expires, signature } })
  if (!('proposalId' in proposal))
    throw new Failure(
      'The service ignored the signature. Check that the service and this command line have the same version.',
    )
  printOutcome(context, proposal)
}

async function approve(context: Context, given: Given): Promise<void> {
  const { purser, wallet, origin } = await operatorClient(context)
  const proposal = await purser.operator.proposals.get(given.id('proposal-id'))
  const { proposalId, subject, reason, state, typedData, needed, proposedBy } = proposal
  const { command, stateHash, expires: text } = typedData.message
  const expires = Number(text)
  show(context, { command, subject, reason, state, needed, expires, proposedBy })
  const terms = { origin, command, subject, reason, stateHash, expires }
  const signature = await sign(context, given, wallet, { ...terms, state, typedData })
  printOutcome(context, await purser.operator.proposals.approve(proposalId, { signature }))
}

function show({ out }: Context, shown: DecisionShown): void {
  const { command, subject, reason: why, state, needed, expires, proposedBy } = shown
  const lines = [
    `${command} ${subject}`,
    ...(proposedBy === undefined ? [] : [`  proposed by  ${proposedBy}`]),
    `  reason       ${why}`,
    ...Object.entries(state).map(([name, value]) => `  ${`${name} is`.padEnd(12)} ${value ?? 'empty'}`),
    `  people       ${needed === 1 ? 'one is enough' : `${needed} must sign`}`,
    `  until        ${new Date(expires * 1000).toISOString()}`,
  ]
  // Other people choose some of these texts.
  for (const line of lines) out.note(onOneLine(line))
}

type DecisionShown = Omit<DecisionTerms, 'origin' | 'stateHash'> & {
  readonly state: State
  readonly needed: number
  readonly proposedBy?: string
}

type ToSign = DecisionTerms & { readonly state: State; readonly typedData: TypedData }

/** Signs data that was built here. If the service asks for other data, nothing is signed. */
async function sign(
  { ask }: Context,
  given: Given,
  wallet: OperatorWallet,
  { typedData, state, ...terms }: ToSign,
): Promise<string> {
  const { domain, message } = typedData
  // The service normalizes addresses and domains, so only their case may differ.
  const subject = String(message['subject'])
  const isSame = subject.toLowerCase() === terms.subject.toLowerCase()
  const own = await typedDecision({ ...terms, subject: isSame ? subject : terms.subject })
  const differs = Object.entries(own.message).find(([name, value]) => message[name] !== value)?.[0]
  if (domain['name'] !== own.domain['name']) {
    throw new Failure(
      `The service asks for a signature for "${domain['name']}", not for "${own.domain['name']}". Set PURSER_CONSOLE_URL to the CONSOLE_URL of the service.`,
    )
  }
  if (differs !== undefined || (await hashState(state)) !== terms.stateHash) {
    throw new Failure(
      `The service asks for a signature of a different ${differs ?? 'state'}. Nothing was signed. Check PURSER_URL and PURSER_CONSOLE_URL, then try again.`,
    )
  }
  if (wallet.signTypedData === undefined) throw new Failure('The wallet cannot sign decisions.')
  const isAsked = wallet.isPrompting || given.has('yes')
  const change = onOneLine(`"${terms.command}" of ${terms.subject}`)
  if (!isAsked && (await ask(`Type yes to sign ${change}: `)) !== 'yes') {
    throw new Failure('Nothing was signed. Type yes, or pass --yes.')
  }
  return wallet.signTypedData(own)
}

function printOutcome({ out }: Context, proposal: Proposal): void {
  const { proposalId, status, outcome, expiresAt } = proposal
  const isOpen = status === 'open'
  const next = `Another person must approve it by ${expiresAt}: purser operator proposals approve ${proposalId}`
  out.result(proposal, [onOneLine(`${status}: ${isOpen ? proposalId : (outcome ?? proposalId)}`)], 'green')
  if (isOpen) out.note(next)
}

export const operatorCommands: readonly Command[] = [
  {
    name: 'operator sign-in',
    summary: 'Signs in as an operator with your wallet',
    detail:
      'It signs with the key in PURSER_WALLET_KEY. For a hardware wallet, set PURSER_WALLET_ADDRESS: the command shows what to sign, and asks for the signature. Your configuration file keeps the session, which ends after 15 minutes without a request. Other commands sign in when they need to.',
    async run(context) {
      const { purser, session } = await operatorClient(context)
      await session.signIn()
      // Without the session in the file, the command has no effect.
      const problem = await context.configuration.flush()
      if (problem !== null) throw new Failure(problem)
      const me = await purser.operator.getMe()
      context.out.result(me, [`${me.name} is signed in as ${me.role} with ${me.address}.`])
    },
  },
  {
    name: 'operator sign-out',
    summary: 'Ends all sessions of your wallet, if this command line is signed in',
    async run(context) {
      const { purser, session } = await operatorClient(context)
      if (session.token() !== null) await purser.operator.sessions.endAll()
      session.setToken(null)
      context.out.result({ isSignedIn: false }, ['You are signed out.'])
    },
  },
  ...operatorOperations.map(readCommand),
  {
    name: 'operator proposals approve',
    summary: "Signs another person's proposal, which makes the change",
    arguments: [{ name: 'proposal-id', description: 'The id of the proposal' }],
    options: [yes],
    run: approve,
  },
  ...operatorDecisions.map(decisionCommand),
]
