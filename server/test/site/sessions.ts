import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { listKeys } from '../../src/identity/access-tokens/keys.ts'
import { sealDue } from '../../src/money/reconcile/seals.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { closure } from '../acceptance/client.ts'
import { startProcess } from '../proof/processes.ts'
import { newOperator, propose, twoPeople, withSeparateHosts } from '../support/console.ts'
import { databaseUrl } from '../support/database-url.ts'
import { newPartner } from '../support/partner.ts'
import { productionEnv } from '../support/production-env.ts'
import { createTestDatabase, httpClient, newWallet, type ServiceOptions, type TestService } from '../support/service.ts'
import { hasProgram, type Session } from '../support/snippets.ts'
import { webhookStories } from '../support/webhook-story.ts'
import { newCardholder, populate } from '../support/world.ts'

/** The things that a reader has before the first command of a document, and how to stop them. */
type Ready = Partial<Session> & { readonly stop?: () => Promise<unknown> }

export type DocumentSession = {
  /** Patterns that the output of the commands matches. */
  readonly expected: readonly RegExp[]
  readonly options?: () => ServiceOptions | Promise<ServiceOptions>
  readonly prepare?: (service: TestService) => Promise<Ready>
}

const root = join(import.meta.dirname, '../../..')

/** The environment of a command beside a service. */
const beside = ({ connection }: TestService) => ({
  ...{ DATABASE_URL: databaseUrl(connection), DATABASE_ROLES: 'on', CHAIN: 'simulated', OPERATOR: 'ada' },
})
const languages = [
  ...(hasProgram('python3') ? [/approved\n- 9\.99 EUR/] : []),
  ...(hasProgram('go') ? [/approved\n450 EUR .* pending/] : []),
]

/** Documents whose commands and programs run one after the other, as a reader types them. */
export const sessions: Readonly<Record<string, DocumentSession>> = {
  'README.md': { expected: [/-9\.99 EUR {2}Corner Shop \(pending\)/] },
  'docs/quickstart.md': {
    expected: [
      /"status":"approved"/,
      /"spendable":"15010000000000000000"/,
      /- 9\.99 EUR/,
      /\+ 25\.00 EUR/,
      ...languages,
    ],
  },
  'docs/guides/sign-in.md': { expected: [/^401 NOT_REGISTERED$/m, /^ey[\w-]+\.[\w-]+\.[\w-]+$/m] },
  'docs/guides/first-card.md': {
    expected: [/action_accept_tos/, /action_complete_kyc/, /action_complete_sof/, /last4: /],
  },
  'docs/guides/deposits.md': { expected: [/"address"/, /"status": *"approved"/, /"status": *"rejected"/] },
  'docs/guides/withdrawals.md': { expected: [/status: *'(pending|processing)'/, /status: *'completed'/] },
  'docs/guides/going-live.md': {
    expected: [/^ok +configuration$/m, /^ok +database$/m, /^problem +nodes: /m],
    prepare: async (service) => ({
      env: { ...productionEnv, DATABASE_URL: databaseUrl(service.connection) },
      // No server listens at the URL of the chain node in these production settings, so the command fails.
      values: { 'purser doctor': 'purser doctor || test $? = 1' },
    }),
  },
  'docs/concepts/fold.md': { expected: [/correct: A hotel/] },
  'docs/concepts/idempotency.md': { expected: [/deposit/] },
  'docs/partners.md': {
    expected: [
      /^partner active$/m,
      /^TXT _purser-challenge\.app\.example\.com purser-domain=/m,
      /^verified 20/m,
      /^user [\da-f-]{36}$/m,
    ],
  },
  'docs/issuer-gateway.md': {
    // The signature is right, and the card belongs to nobody.
    expected: [/"outcome":"declined".*"declineReason":"Card not found"/],
  },
  'docs/sandbox.md': {
    expected: [
      /correct: A tip/,
      /"status":"approved".*LUNCH1/,
      /"error":"UPSTREAM_FAILURE"|502/,
      /LATE01/,
      /^the process died$/m,
    ],
    prepare: besideCrash,
  },
  'docs/runbooks.md': {
    expected: [/^problem +configuration: /m, /The books are correct/, /withdrawal of user/],
    options: () => ({ worker: false }),
    async prepare(service) {
      const { alice } = await populate(service, { eur: 10 })
      await alice.withdraw(10n ** 18n)
      // The doctor applies the rules of production, which a sandbox does not meet.
      return { env: beside(service), values: { 'run doctor ': 'run doctor || test $? = 1 ' } }
    },
  },
  'docs/cli.md': {
    expected: [
      /^authorization \w{6}: approved$/m,
      /correct: A tip/,
      /^card\.created {2}evt_\S+ {2}2\d\d/m,
      /^ok +books$/m,
      /^valid: /m,
      /The bundle is complete and authentic/,
    ],
    options: withSeparateHosts,
    prepare: forCommandLine,
  },
  'docs/operators.md': {
    expected: [
      /is signed in as admin/,
      /^executed: The account of .* is blocked\.$/m,
      /^executed: The account of .* is active\.$/m,
      /viewer|admin {2}Ada Lovelace/,
    ],
    options: async () => ({ ...(await withSeparateHosts(twoPeople)), worker: false }),
    prepare: forOperators,
  },
  'docs/operations.md': {
    expected: [
      /app\.example\.com/,
      /suspended {2}Example Wallet$/m,
      /is blocked\.$/m,
      /is erased\.$/m,
      /payouts is off/,
      /go back to 0x/,
      /not known to be final and unpaid/,
      /The books are correct/,
      /^ok +books$/m,
      /^UPDATE [1-9]/m,
    ],
    options: () => ({ env: { PARTNER_SIGN_UP: 'approval' }, worker: false }),
    prepare: forOperations,
  },
  'deploy/README.md': {
    expected: [/^All migrations are applied\.$/m, /^REVOKE$/m, /^GRANT$/m],
    async prepare({ connection }) {
      const owner = databaseUrl(await createTestDatabase())
      return { env: { OWNER_URL: owner, CHAIN: 'simulated' }, values: { ' to purser': ` to ${connection.user}` } }
    },
  },
}

/** Starts a process of its own, because the last command kills it. */
async function besideCrash(): Promise<Ready> {
  const process = await startProcess(await createTestDatabase(), { CHAIN: 'simulated' })
  const client = httpClient(process.url)
  const { userId, token } = await client.newUser()
  const body = { cardName: 'Groceries', phone: '+4915123456789' }
  const { cardId } = (await client.request('POST', '/cards/virtual', { token, body })).body
  const [euro] = (await client.sandbox('GET', '/tokens')).body.data
  await client.sandbox('POST', '/deposits', { userId, token: euro.address, amount: String(50n * 10n ** 18n) })
  return {
    url: process.url,
    env: { CARD: cardId },
    values: { '{"crash":"after_commit"}}\'': '{"crash":"after_commit"}}\' || echo the process died' },
    stop: () => process.kill(),
  }
}

/** Creates a partner with an endpoint that has a delivery, and an operator whose decisions can be verified. */
async function forCommandLine(service: TestService): Promise<Ready> {
  const stories = webhookStories(() => service)
  const { partner, receiver, endpoint, newUser } = await stories.newStory()
  const user = await newUser()
  await stories.deposit(user.userId)
  const [delivery] = await receiver.waitForDeliveries(1)
  const key = generatePrivateKey()
  const operator = await newOperator(service, 'admin', { wallet: privateKeyToAccount(key) })
  await propose(operator, { command: 'user block', subject: user.userId })
  const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const asOperator = `PURSER_WALLET_KEY=${key} purser operator`
  return {
    files: {
      'my-scenario.json': await readFile(join(root, 'cli/scenarios/tip.json'), 'utf8'),
      'body.json': delivery?.body ?? '',
      'key.txt': await partner.key('partner:read'),
    },
    env: {
      ...beside(service),
      PURSER_CONSOLE_URL: service.url,
      PURSER_API_KEY: await partner.key('events:read', 'webhooks:write', 'partner:read'),
    },
    before: [
      `${asOperator} evidence --from ${from} --to ${to} > evidence.ndjson`,
      `${asOperator} signing-keys list --json > signing-keys.json`,
      `${asOperator} decisions list --json > decisions.json`,
      'purser sandbox user',
    ].join('\n'),
    values: {
      '01a1fc4e-f39c-748a-b04f-9ca8209a4d4a': endpoint.endpointId,
      'whpk_…': endpoint.publicKeys[0],
      ...Object.fromEntries(
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
          `'${name}: ${name === 'webhook-id' ? 'evt_' : ''}…'`,
          `'${name}: ${delivery?.headers[name]}'`,
        ]),
      ),
    },
    stop: stories.closeReceivers,
  }
}

/** Adds two operators, and a proposal of the second one that the first one can approve. */
async function forOperators(service: TestService): Promise<Ready> {
  const { base } = service.ctx.config.servers
  const [key, otherKey] = [generatePrivateKey(), generatePrivateKey()]
  const { address } = privateKeyToAccount(key)
  await newOperator(service, 'admin', { wallet: privateKeyToAccount(key) })
  const other = await newOperator(service, 'admin', { wallet: privateKeyToAccount(otherKey) })
  const { alice, bob } = await populate(service, {}, 'alice', 'bob')
  await propose(other, { command: 'user block', subject: bob.userId })
  const { proposalId } = (await propose(other, { command: 'user unblock', subject: bob.userId })).body
  return {
    files: { key },
    env: { ...beside(service), PURSER_URL: base, PURSER_WALLET_KEY_FILE: 'key' },
    values: {
      'https://purser.example': base,
      'https://console.example': service.url,
      'wallet-address 0x…': `wallet-address ${address}`,
      'add 0x…': `add ${newWallet().address}`,
      // A person types "yes" before each signature.
      'users block <userId>': `users block ${alice.userId} --yes`,
      'approve <proposalId>': `approve ${proposalId} --yes`,
    },
  }
}

/** Creates the users, partners and work that the commands of an operator name. */
async function forOperations(service: TestService): Promise<Ready> {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const { alice, carol, dora } = await populate(service, {}, 'alice', 'carol', 'dora')
  const bob = await newCardholder(service)
  for (const closed of [carol, dora]) await closed.ask('POST', '/user/close', await closure(service, closed))
  await service.deposit(dora, 10n ** 18n)
  const depositId = await bob.deposit(10n ** 19n, { result: 'rejected' })
  const [canceled, waiting] = [(await bob.withdraw(10n ** 18n)).body, (await bob.withdraw(10n ** 18n)).body]
  await service.ctx.db.query('update withdrawal set due_at = $3 where user_id = $1 and withdrawal_id = $2', [
    ...[bob.userId, waiting.withdrawalId],
    new Date(service.ctx.clock.now().getTime() + 3_600_000),
  ])
  await bob.send('authorization', '10.00')
  await bob.send('clearing', '15.00', { final: false })
  const [review] = await service.ctx.db.query<{ id: string }>(
    'select card_transaction_id as id from card_transaction where user_id = $1 and needs_review',
    [bob.userId],
  )
  const [key] = await listKeys(service.ctx)
  const { partnerId } = await newPartner(service)
  await sealDue({ ...service.ctx, log })
  // These commands need a chain, so they fail here. Other tests cover them: decided-payouts.test.ts, restore.test.ts
  // and watcher.test.ts.
  const rejected = (typed: string) => [
    `${typed} <reason>`,
    `${typed.replace('<id>', waiting.withdrawalId).replace('<transfer> <amount>', `100:0x${'12'.repeat(32)}:3 0`)} test || test $? = 1`,
  ]
  const decisions = ['paid', 'refund', 'again'].map((decision) => `payouts decide <id> ${decision}`)
  return {
    files: { 'purser.log': lines.join('') },
    env: beside(service),
    values: {
      ...Object.fromEntries(
        [...decisions, 'payouts assign <id> <userId>', 'transfers tell <transfer> <amount>'].map(rejected),
      ),
      'erase <userId>': `erase ${carol.userId}`,
      'reviews done <id>': `reviews done ${review?.id}`,
      'deposits return <id>': `deposits return ${depositId}`,
      'payouts order <userId> <token> <payee>': `payouts order ${dora.userId} ${service.tokenAddress()} ${dora.wallet.address}`,
      'payouts cancel <id>': `payouts cancel ${canceled.withdrawalId}`,
      '<reason>': 'a test',
      '<partnerId>': partnerId,
      '<kid>': key?.kid ?? '',
      '<userId>': alice.userId,
      'postgresql://checker@backup-host/purser?sslmode=verify-full': databaseUrl(service.connection),
    },
  }
}
