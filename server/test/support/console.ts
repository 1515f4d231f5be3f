import { privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { operatorCommands } from '../../src/config/operators.ts'
import { newId } from '../../src/lib/id.ts'
import type { OperatorRole } from '../../src/lib/operator-permission.ts'
import { insertOperator, insertPerson } from '../../src/operators/sql.ts'
import { freePort } from './free-port.ts'
import { newWallet, type Reply, type ServiceOptions, type TestService, type Wallet } from './service.ts'

/** The test operator of every sandbox. Its key is public. */
export const testOperator = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d')

export const consoleOrigin = 'http://localhost:8080'

/**
 * Returns the options of a service that has hosts of its own for operators and the secure frame, as in production. Its
 * console is at the URL of the test service.
 */
export async function withSeparateHosts(env: Record<string, string> = {}): Promise<ServiceOptions> {
  const port = await freePort()
  const at = (host: string) => `http://${host}:${port}`
  return {
    port,
    env: { ...env, CONSOLE_URL: at('127.0.0.1'), BASE_URL: at('localhost'), PCI_URL: at('[::1]') },
    alter: (ctx) => ({ ...ctx, config: { ...ctx.config, separatesHosts: true } }),
  }
}

/** The headers that a browser sends with a request of the console's page. */
export const fromConsole = { origin: consoleOrigin, 'sec-fetch-site': 'same-origin', 'x-purser-console': '1' }

/** A service that gives nonces. A service in a process of its own has the default console. */
type SignsIn = Pick<TestService, 'nonce'> & Partial<Pick<TestService, 'ctx'>>

type SignedMessage = { message: string; signature: string }

/** Returns a signed message that signs an operator in, with the given differences. */
export async function operatorMessage(
  { nonce, ctx }: SignsIn,
  wallet: Wallet,
  change: Partial<Parameters<typeof createSiweMessage>[0]> = {},
): Promise<SignedMessage> {
  const origin = ctx?.config.servers.console ?? consoleOrigin
  const message = createSiweMessage({
    address: wallet.address,
    chainId: 1,
    domain: new URL(origin).host,
    nonce: await nonce(),
    uri: `${origin}/operator/session`,
    version: '1',
    ...change,
  })
  return { message, signature: await wallet.signMessage({ message }) }
}

/** Signs in and returns the bearer token. */
export async function signInOperator(
  service: SignsIn & Pick<TestService, 'request'>,
  wallet: Wallet = testOperator,
): Promise<string> {
  const body = await operatorMessage(service, wallet)
  const response = await service.request('POST', '/operator/session', { body })
  if (response.status !== 200) throw new Error(`no session: ${response.status} ${response.text}`)
  return response.body.token
}

/** An operator who is signed in. */
export type TestOperator = {
  wallet: Wallet
  personId: string
  token: string
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
}

/** A person who gets another wallet, or the wallet of a new person. The compiler rejects both at once. */
type Known = { personId?: string; wallet?: never } | { wallet: Wallet; personId?: never }

/** Adds an operator to the database, as a new person or as another wallet of a person, and signs in. */
export async function newOperator(
  service: TestService,
  role: OperatorRole = 'admin',
  person: Known = {},
): Promise<TestOperator> {
  const { wallet, personId } = await addOperator(service, role, person)
  const operator: TestOperator = {
    wallet,
    personId,
    token: await signInOperator(service, wallet),
    ask: (method, path, body, headers = {}) =>
      service.request(method, `/operator${path}`, {
        ...{ token: operator.token, headers },
        ...(body === undefined ? {} : { body }),
      }),
  }
  return operator
}

/** Adds an operator to the database without a session. */
export async function addOperator(
  { ctx }: Pick<TestService, 'ctx'>,
  role: OperatorRole,
  person: Known = {},
): Promise<Pick<TestOperator, 'wallet' | 'personId'>> {
  const wallet = person.wallet ?? newWallet()
  const createdAt = ctx.clock.now()
  const personId = person.personId ?? newId(createdAt)
  await ctx.db.transaction(async (tx) => {
    if (person.personId === undefined) await insertPerson(tx, { personId, name: `Person with ${role}` }, createdAt)
    const { address } = wallet
    await insertOperator(tx, { address, contractChainId: null, personId, role, addedBy: 'test', createdAt })
  })
  return { wallet, personId }
}

type Typed = { domain: object; types: object; primaryType: string; message: object }

/** Signs the typed data of a decision. */
export function signDecision(wallet: Wallet, typedData: Typed): Promise<string> {
  return wallet.signTypedData(typedData as Parameters<Wallet['signTypedData']>[0])
}

/** A change and its reason, as it is sent to `POST /operator/proposals`. */
export type Change = { command: string; subject: string; arguments?: Record<string, string>; reason?: string }

/** Prepares a decision and signs it. Returns the body that proposes it. */
export async function signed(operator: TestOperator, change: Change) {
  const body = { reason: 'a test', ...change }
  const prepared = await operator.ask('POST', '/proposals', body)
  if (prepared.status !== 200) throw new Error(`not prepared: ${prepared.status} ${prepared.text}`)
  const { typedData, stateHash, expires } = prepared.body
  return { ...body, signed: { stateHash, expires, signature: await signDecision(operator.wallet, typedData) } }
}

/** Prepares, signs and proposes a decision. */
export async function propose(operator: TestOperator, change: Change): Promise<Reply> {
  return operator.ask('POST', '/proposals', await signed(operator, change))
}

/** Signs a proposal as another operator, and approves it. */
export async function approve(
  operator: TestOperator,
  { proposalId, typedData }: { proposalId: string; typedData: Typed },
): Promise<Reply> {
  const signature = await signDecision(operator.wallet, typedData)
  return operator.ask('POST', `/proposals/${proposalId}/approve`, { signature })
}

/** The policies of production, for a sandbox. */
export const twoPeople = {
  OPERATOR_POLICIES: JSON.stringify(
    Object.fromEntries(Object.entries(operatorCommands).map(([command, { policy }]) => [command, policy])),
  ),
}
