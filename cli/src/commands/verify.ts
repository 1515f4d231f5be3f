import { readFile } from 'node:fs/promises'
import { unwrap, WebhookError } from '../../../client/src/webhooks.ts'
import { type Command, Failure, type Given, UsageError } from '../command.ts'
import type { Context } from '../context.ts'
import { type Decision, verifyDecision } from '../decisions.ts'
import { type EvidenceKey, evidenceKey, verifyEvidence } from '../evidence.ts'

/** Checks signatures without a service. */
export const verifyCommands: readonly Command[] = [
  {
    name: 'verify webhook',
    summary: 'Checks the signature of a webhook delivery that you have stored',
    detail: 'It needs no service. The age of the delivery does not matter.',
    arguments: [{ name: 'file', description: 'The file with the raw body' }],
    options: [
      { name: 'header', value: 'line', description: 'A header of the delivery, as name: value', isRepeatable: true },
      { name: 'key', value: 'key', description: 'A public key of the endpoint (whpk_…). Required', isRepeatable: true },
    ],
    examples: [
      "verify webhook body.json --key whpk_… --header 'webhook-id: evt_…' --header 'webhook-timestamp: …' --header 'webhook-signature: …'",
    ],
    run: verifyWebhook,
  },
  {
    name: 'verify evidence',
    summary: 'Checks the signature of an evidence bundle, and every decision in it',
    detail:
      'It needs no service and no network. Use a trusted copy of the output of "operator signing-keys list --json".',
    arguments: [{ name: 'file', description: 'The bundle, as "operator evidence" wrote it' }],
    options: [
      { name: 'keys', value: 'file', description: 'The file with the public keys of the service', isRequired: true },
    ],
    examples: ['verify evidence evidence.ndjson --keys signing-keys.json'],
    async run(context, given) {
      const text = await textOf(given.text('file'))
      const result = verifyEvidence(text, keysIn(await textOf(given.text('keys'))))
      if (typeof result === 'object')
        throw new Failure(
          `The evidence is not authentic: ${result.problem}. Check the file and the keys, then see docs/incidents.md.`,
        )
      if (result === 'complete') context.out.note('The bundle is complete and authentic.')
      await verifyAll(context, decisionsIn(text))
      if (result === 'incomplete')
        throw new Failure(
          'The evidence is authentic but incomplete: the period has more records than a bundle contains. Request a shorter period.',
        )
    },
  },
  {
    name: 'decisions verify',
    summary: 'Checks the signatures of decisions against the addresses of the wallets',
    detail:
      'It needs no service and no network. Only a node can verify the signature of a contract wallet, so the command only counts such signatures. Use "verify evidence" to learn whether decisions are missing.',
    arguments: [
      {
        name: 'file',
        description: 'Decisions of "operator decisions list --json", an evidence bundle, or - for standard input',
      },
    ],
    examples: ['decisions verify decisions.json', 'decisions verify evidence.ndjson'],
    async run(context, given) {
      const file = given.text('file')
      await verifyAll(context, decisionsIn(file === '-' ? await context.readInput() : await textOf(file)))
    },
  },
]

const maxShown = 20

async function verifyAll({ out }: Context, decisions: readonly Decision[]): Promise<void> {
  const wrong: string[] = []
  const counts = { signed: 0, breakGlass: 0, contracts: 0, onePerson: 0 }
  for (const [i, decision] of decisions.entries()) {
    out.working(`${i} of ${decisions.length} decisions checked`)
    const { problems, contracts, isOnePerson } = await verifyDecision(decision).catch(() => ({
      problems: ['its proof is malformed'],
      contracts: 0,
      isOnePerson: false,
    }))
    if (decision.proof === null) counts.breakGlass++
    else counts.signed++
    counts.contracts += contracts
    if (isOnePerson) counts.onePerson++
    wrong.push(...problems.map((problem) => `decision ${decision.seq}: ${problem}`))
  }
  const isValid = wrong.length === 0
  const contracts =
    counts.contracts === 0
      ? ''
      : ` Signatures from contract wallets, which only a node can verify and which were not checked: ${counts.contracts}.`
  const { signed, breakGlass, onePerson } = counts
  const alone =
    onePerson === 0
      ? ''
      : ` Decisions that one person signed, although their command needs two people by default: ${onePerson}. OPERATOR_POLICIES may allow that.`
  out.result(
    { isValid, ...counts, problems: wrong },
    isValid
      ? [
          `No decision has a problem. Signed decisions: ${signed}. Break-glass decisions, which have no signature: ${breakGlass}.${contracts}${alone}`,
        ]
      : wrong.slice(0, maxShown),
    isValid ? 'green' : 'red',
  )
  if (!isValid) throw new Failure(`The decisions are not authentic. Problems: ${wrong.length}. See docs/incidents.md.`)
}

/** Returns the decisions of a JSON document or of lines of JSON. Other records of a bundle are left out. */
function decisionsIn(text: string): Decision[] {
  const records = valuesIn(text).flatMap((value) => (Array.isArray(value) ? value : (Object(value).data ?? [value])))
  const decisions = records.filter((record: unknown) => 'proof' in Object(record) && 'decidedBy' in Object(record))
  if (decisions.length === 0 && !records.some((record: unknown) => Object(record).kind === 'evidence')) {
    throw new Failure('The file has no decisions. Write it with: purser operator decisions list --json')
  }
  // The API returns a proof as an object. A bundle contains it as text.
  return decisions.map(({ proof, ...rest }: Decision) => ({
    ...rest,
    proof: typeof proof === 'string' ? proofIn(proof) : proof,
  }))
}

function proofIn(text: string): Decision['proof'] {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure(
      'A decision of the file has a proof that is not JSON. Write the bundle again with: purser operator evidence',
    )
  }
}

function keysIn(text: string): EvidenceKey[] {
  const found = valuesIn(text).flatMap((value): unknown[] =>
    Array.isArray(value) ? value : (Object(value).data ?? []),
  )
  const keys = found.map(evidenceKey).filter((key) => key !== null)
  if (keys.length === 0 || keys.length < found.length) {
    const problem = found.length === 0 ? 'no keys' : 'a key that is not a public key of a service'
    throw new Failure(`The file of --keys has ${problem}. Write it with: purser operator signing-keys list --json`)
  }
  return keys
}

function valuesIn(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    // Not one JSON document, so the lines are tried one by one.
  }
  try {
    return text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
  } catch {
    throw new Failure('The file is neither JSON nor lines of JSON. Write it again with the command that wrote it.')
  }
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${file} cannot be read (${error.code}). Check the path and its permissions.`)
  })
}

const publicKeyPattern = /^whpk_[A-Za-z0-9+/]{43}=?$/

async function verifyWebhook({ out }: Context, given: Given): Promise<void> {
  const keys = given.all('key')
  if (keys.length === 0 || !keys.every((key) => publicKeyPattern.test(key))) {
    throw new UsageError('--key must be a public key of the endpoint: whpk_ and the 32 bytes of the key in base64.')
  }
  const body = await textOf(given.text('file'))
  const headers = new Headers(given.all('header').map(headerOf))
  try {
    const { id, type } = await unwrap(body, headers, keys, { toleranceSeconds: Number.MAX_SAFE_INTEGER })
    out.result({ isValid: true, id, type }, [`valid: ${type} ${id}`], 'green')
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    throw new Failure(`${error.code}: ${error.message}`)
  }
}

function headerOf(line: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`"${line}" is not a header. Write it like name: value.`)
  if (!/^[\x20-\x7e]*$/.test(value))
    throw new UsageError(`"${line}" is not a header of a delivery. Copy the value that your server received.`)
  return [name, value]
}
