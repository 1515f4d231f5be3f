import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../../../cli/src/commands.ts'
import { settings } from '../../../cli/src/settings.ts'
import { useCli } from '../support/cli.ts'
import { databaseUrl } from '../support/database-url.ts'
import { useService } from '../support/service.ts'
import { waitUntil } from '../support/vendors/webhook-receiver.ts'
import { webhookStories } from '../support/webhook-story.ts'

const service = useService()
const stories = webhookStories(() => service)
let key = ''
let endpointId = ''
let eventId = ''
const cli = useCli(
  () => ({
    PURSER_URL: service.url,
    PURSER_API_KEY: key,
    DATABASE_URL: databaseUrl(service.connection),
    NETWORK_LOG: networkLog(),
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '../support/run/watch-network.ts')}`,
  }),
  { observesProcesses: true },
)
beforeAll(async () => {
  const story = await stories.newStory()
  key = await story.partner.key('events:read', 'webhooks:write', 'partner:read')
  endpointId = story.endpoint.endpointId
  await story.newUser()
  const events = async () => [await cli.json('events list --limit 1')].flat()
  await waitUntil(async () => (await events()).length > 0, 'an event')
  eventId = (await events())[0].id
  await writeFile(noDecisions(), '{"kind":"evidence"}')
})
afterAll(() => stories.closeReceivers())

const networkLog = () => join(cli.home(), 'network.log')
const wordsOf = (given: string | (() => string)) => (typeof given === 'string' ? given : given())

/** An evidence bundle without decisions. */
const noDecisions = () => join(cli.home(), 'evidence.ndjson')

const decision = ['authorization_code', 'authorization_id', 'status']
const scenario = ['differences', 'isCorrect', 'title']
/**
 * Scripts read these keys, so no release may remove or rename one. Operator commands print the responses of the API.
 */
const keysOfCommands: [words: string | (() => string), keys: string[]][] = [
  ['config set domain localhost', ['domain']],
  ['config unset domain', ['domain']],
  ['sandbox user', ['accountAddress', 'cardId', 'owner', 'userId']],
  ['token', ['token']],
  ['sandbox deposit 25', ['depositId', 'txHash']],
  ['sandbox pay 9.99', decision],
  ['sandbox pay 1000', [...decision, 'denial_code', 'denial_reason']],
  ['sandbox pay 3', decision],
  ['sandbox clear 3', decision],
  ['sandbox refund 1', decision],
  ['sandbox clock', ['now']],
  ['trigger tip', scenario],
  ['scenario list', ['description', 'name', 'title']],
  [() => `scenario run ${join(import.meta.dirname, '../../../cli/scenarios/tip.json')}`, scenario],
  ['events list', ['createdAt', 'data', 'id', 'type']],
  [() => `events get ${eventId}`, ['deliveries', 'event']],
  [() => `events resend ${eventId}`, ['deliveries']],
  [
    'webhooks list',
    'endpointId url events description status version disabledReason failingSince publicKeys warnings createdAt'.split(
      ' ',
    ),
  ],
  [
    () => `webhooks deliveries ${endpointId}`,
    'endpointId eventId type status attempts attemptedAt nextAttemptAt responseStatus error createdAt'.split(' '),
  ],
  [() => `webhooks resend ${endpointId}`, ['deliveries']],
  [() => `webhooks test ${endpointId}`, ['attempt', 'eventId', 'isAccepted', 'type']],
  [() => `samples create ${join(cli.home(), 'sample')}`, ['folder', 'url']],
  ['config show', ['path', ...Object.values(settings).map(({ name }) => name)]],
  [
    'reconcile',
    'badRows badUsers custody firstBadRows isCorrect items movements postings records totals unsealed users'.split(' '),
  ],
  ['migrate', ['isMigrated']],
  ['backup check', ['findings', 'isReady']],
  [
    () => `decisions verify ${noDecisions()}`,
    ['breakGlass', 'contracts', 'isValid', 'onePerson', 'problems', 'signed'],
  ],
]

/** These commands print no values of their own. Nor do those of operators, which print the responses of the API. */
const without = ['api', ...commands.filter(({ isWithoutJson }) => isWithoutJson).map(({ name }) => name)]

/** The other tests that read the JSON of a command. */
const elsewhere: Readonly<Record<string, string>> = {
  doctor: 'cli/service.test.ts',
  'events tail': 'cli/partner.test.ts',
  listen: 'cli/partner.test.ts',
  'operator sign-out': 'cli/operator.test.ts',
  'sandbox crash': 'flows/faults.test.ts',
  'verify evidence': 'cli/operator.test.ts',
  'verify webhook': 'cli/service.test.ts',
}

test('a test reads the JSON of every command that prints values of its own', () => {
  const isOfTheApi = (name: string) => name.startsWith('operator ') && name !== 'operator sign-out'
  const isHere = (name: string) => keysOfCommands.some(([words]) => `${wordsOf(words)} `.startsWith(`${name} `))
  const others = commands.map(({ name }) => name).filter((name) => !isOfTheApi(name) && !isHere(name))
  expect(others.toSorted()).toEqual([...without, ...Object.keys(elsewhere)].toSorted())
  for (const [name, file] of Object.entries(elsewhere)) {
    const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
    expect(text, name).toMatch(new RegExp(`json\\(['\`]${name}|${name}.* --json`))
  }
})

/** Runs each command once, for all tests. */
let results: Promise<Map<string, any>> | null = null
function resultsOfCommands(): Promise<Map<string, any>> {
  results ??= (async () => {
    const all = new Map<string, any>()
    for (const [given] of keysOfCommands) {
      const words = wordsOf(given)
      all.set(words, [await cli.json(words)].flat()[0])
    }
    return all
  })()
  return results
}

test('the keys of the JSON that each command prints are stable', async () => {
  const found = [...(await resultsOfCommands())].map(([words, value]) => [words, Object.keys(value).sort()])
  const stated = keysOfCommands.map(([given, keys]) => [wordsOf(given), [...keys].sort()])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(stated))
})

test('commands that list something write nothing to stderr, not even a warning of Node.js', async () => {
  for (const words of ['scenario list', 'events list --limit 1']) {
    expect(await cli(words), words).toMatchObject({ code: 0, stderr: '' })
  }
})

test('the commands that print JSON connect to nothing but the service and its database', async () => {
  await resultsOfCommands()
  const log = async () => (await readFile(networkLog(), 'utf8')).trim().split('\n')
  const { host, port } = service.connection
  const own = [new URL(service.url).host, `${host}/.s.PGSQL.${port}`]
  const before = await log()
  expect([...new Set(before)].toSorted()).toEqual(own.toSorted())
  for (const words of ['--version', '--help', 'config show', 'scenario list', 'sandbocks']) await cli(words)
  expect(await log()).toEqual(before)
})
