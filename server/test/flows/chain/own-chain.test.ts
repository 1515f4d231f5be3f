import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createWalletClient, defineChain, type Hex, http, parseAbi, publicActions } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runScenario } from '../../../../cli/src/scenarios/run.ts'
import { parseScenario } from '../../../../cli/src/scenarios/scenario.ts'
import { bundled } from '../../support/bundle.ts'
import { anvilAccount } from '../../support/chain/anvil.ts'
import { freePort } from '../../support/free-port.ts'
import { processEnv } from '../../support/process-env.ts'
import { httpClient, type TestUser } from '../../support/service.ts'
import { documentedCommands, runDocumented } from '../../support/shell.ts'

/** Runs the service as `npm start` does, with only a data folder of its own. */
const tokenAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function balanceOf(address holder) view returns (uint256)',
])
const eur = 10n ** 18n

let dataDir: string
let port: number
let child: ChildProcess
let output = ''
let euro: Hex
let user: TestUser

const client = () => httpClient(`http://127.0.0.1:${port}`)

async function start(env: Record<string, string> = {}): Promise<void> {
  output = ''
  child = spawn(process.execPath, [bundled('main')], {
    env: {
      ...processEnv,
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'error',
      SWEEP_EVERY_SECONDS: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  for (const until = Date.now() + 120_000; !output.includes('Purser is ready'); await delay(20)) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`not ready: ${output}`)
  }
}

async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** Returns a wallet that is connected to the chain reported by the sandbox. */
async function wallet() {
  const { chainId, rpcUrl } = (await client().sandbox('GET', '/chain')).body
  const chain = defineChain({
    id: chainId,
    name: 'sandbox',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  return createWalletClient({ account: anvilAccount(4), chain, transport: http() }).extend(publicActions)
}

async function eventually<T>(read: () => Promise<T>, isReached: (seen: T) => boolean): Promise<T> {
  for (const until = Date.now() + 300_000; ; await delay(100)) {
    const seen = await read()
    if (isReached(seen) || Date.now() > until) return seen
  }
}

const statement = async () => (await client().request('GET', '/user/statement', { token: user.token })).body.data
const spendable = async () => {
  const { body } = await client().request('GET', '/user/balances/v2', { token: user.token })
  return BigInt(body.data.find((row: { currency: string }) => row.currency === 'EUR').spendable)
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'purser-own-chain-'))
  port = await freePort()
  await start()
  const tokens = (await client().sandbox('GET', '/tokens')).body.data
  euro = tokens.find((token: { symbol: string }) => token.symbol === 'EURe').address
  user = await client().newUser()
})
afterAll(async () => {
  await end('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
})

test('the startup message and GET /sandbox/chain show the RPC URL of the chain', async () => {
  const { status, body } = await client().sandbox('GET', '/chain')
  expect(status).toBe(200)
  expect(body).toEqual({
    chainId: 31337,
    rpcUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    finalityDepth: 2,
  })
  expect(output).toContain(body.rpcUrl)
})

test('a transfer from a wallet is credited automatically once it is final', async () => {
  const sender = await wallet()
  const token = { address: euro, abi: tokenAbi } as const
  await sender.writeContract({ ...token, functionName: 'mint', args: [sender.account.address, 100n * eur] })
  const to = user.accountAddress as Hex
  const hash = await sender.writeContract({ ...token, functionName: 'transfer', args: [to, 40n * eur] })
  const [item] = await eventually(statement, ([first]) => first?.status === 'approved')
  expect(item).toMatchObject({
    type: 'deposit',
    status: 'approved',
    amount: String(40n * eur),
    txHash: hash,
    fromAddress: sender.account.address,
    chainId: 31337,
  })
  expect(await spendable()).toBe(40n * eur)
})

test('the documented commands mint tokens for an account, which become a deposit', async () => {
  const other = await client().newUser()
  const commands = await documentedCommands('docs/sandbox.md', 'MINT=')
  await runDocumented(commands, `http://127.0.0.1:${port}`, { ACCOUNT: other.accountAddress, TOKEN: euro })
  const read = async () => (await client().request('GET', '/user/statement', { token: other.token })).body.data
  const [item] = await eventually(read, ([first]) => first?.status === 'approved')
  expect(item).toMatchObject({ type: 'deposit', status: 'approved', amount: '2500000000000000000' })
})

test('a sandbox deposit is a transfer on the chain', async () => {
  const body = { userId: user.userId, token: euro, amount: String(5n * eur) }
  const { status, body: made } = await client().sandbox('POST', '/deposits', body)
  expect(status).toBe(201)
  const receipt = await (await wallet()).getTransactionReceipt({ hash: made.txHash })
  expect(receipt.status).toBe('success')
  expect(await spendable()).toBe(45n * eur)
  const refused = await client().sandbox('POST', '/deposits', { ...body, result: 'rejected' })
  expect(refused.status).toBe(201)
  expect(await spendable()).toBe(45n * eur)
  expect((await statement())[0]).toMatchObject({ id: refused.body.depositId, status: 'rejected' })
})

test('a withdrawal is paid on the chain automatically, and the sandbox cannot script its outcome', async () => {
  const body = { tokenAddress: euro, amount: String(10n * eur) }
  const asked = await client().request('POST', '/user/withdrawal', { token: user.token, body })
  expect(asked.status).toBe(201)
  const { withdrawalId } = asked.body
  const settled = await client().sandbox('POST', `/withdrawals/${withdrawalId}`, { outcome: 'failed' })
  expect(settled).toMatchObject({ status: 409, body: { success: false, error: 'CHAIN_ATTACHED' } })
  const [item] = await eventually(statement, ([first]) => first?.status === 'completed')
  expect(item).toMatchObject({ id: withdrawalId, status: 'completed', toAddress: user.wallet.address })
  const held = await (await wallet()).readContract({
    address: euro,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [user.wallet.address],
  })
  expect(held).toBe(10n * eur)
})

test('the chain survives a killed service, and transfers during the outage are credited after the restart', async () => {
  const before = (await client().sandbox('GET', '/chain')).body
  const sender = await wallet()
  const pid = (await readFile(join(dataDir, 'chain/anvil.pid'), 'utf8')).split('\n')[0]
  await end('SIGKILL')
  // The chain continues to run while the service is down.
  const to = user.accountAddress as Hex
  await sender.writeContract({ address: euro, abi: tokenAbi, functionName: 'transfer', args: [to, 3n * eur] })
  await start()
  expect((await readFile(join(dataDir, 'chain/anvil.pid'), 'utf8')).split('\n')[0]).toBe(pid)
  expect((await client().sandbox('GET', '/chain')).body).toEqual(before)
  expect(await eventually(spendable, (free) => free === 38n * eur)).toBe(38n * eur)
})

test('the chain and the balances are unchanged after a graceful restart', async () => {
  await end('SIGTERM')
  expect(child.exitCode).toBe(0)
  await start()
  expect(await reconcile()).toContain('The chain holds at least the amounts in the books minus the outgoing payments.')
  const sender = await wallet()
  const args = [sender.account.address] as const
  expect(await sender.readContract({ address: euro, abi: tokenAbi, functionName: 'balanceOf', args })).toBe(57n * eur)
  expect(await spendable()).toBe(38n * eur)
  // A sweep moves the tokens to the treasury. The user can still spend the balance.
  const address = user.accountAddress as Hex
  const left = () => sender.readContract({ address: euro, abi: tokenAbi, functionName: 'balanceOf', args: [address] })
  expect(await eventually(left, (held) => held < 10n * eur)).toBeLessThan(10n * eur)
  expect(await spendable()).toBe(38n * eur)
  const body = { userId: user.userId, token: euro, amount: String(eur) }
  expect((await client().sandbox('POST', '/deposits', body)).status).toBe(201)
  expect(await spendable()).toBe(39n * eur)
  expect((await statement()).every(({ status }: { status: string }) => status !== 'pending')).toBe(true)
})

/** Runs `reconcile` and throws unless it exits with status 0. */
async function reconcile(): Promise<string> {
  return (
    await promisify(execFile)(process.execPath, [bundled('reconcile')], { env: { ...processEnv, DATA_DIR: dataDir } })
  ).stdout
}

test('reconcile finds that the books agree with the chain while the service runs', async () => {
  const stdout = await reconcile()
  expect(stdout).toContain('The books are correct: I1 to I9 hold.')
  expect(stdout).toMatch(
    /EURe on chain 31337, block \d+: .*; the books: 46500000000000000000\n +1000000000000000000000000 more/,
  )
  expect(stdout).toContain('The chain holds at least the amounts in the books minus the outgoing payments.')
})

test("the simulator mines and replaces blocks of the sandbox's own chain, and shows its head", async () => {
  const head = async () => (await client().sandbox('GET', '/chain/head')).body
  const before = await head()
  expect(before.finalNumber).toBe(before.number - 2)
  const mined = await client().sandbox('POST', '/chain/blocks', { blocks: 10 })
  expect(mined).toMatchObject({ status: 200, body: { number: before.number + 10 } })
  const made = await client().sandbox('POST', '/deposits', {
    ...{ userId: user.userId, token: euro, amount: '7', final: false },
  })
  expect(made.status).toBe(201)
  expect((await statement())[0]).toMatchObject({ id: made.body.depositId, status: 'pending' })
  const replaced = await client().sandbox('POST', '/chain/reorganizations', { blocks: 6 })
  expect(replaced).toMatchObject({ status: 200, body: { number: before.number + 11 } })
  const [item] = await eventually(statement, ([first]) => first?.status !== 'pending')
  expect(item).toMatchObject({ id: made.body.depositId, status: 'rejected' })
  expect((await client().sandbox('POST', '/chain/blocks', { blocks: 0 })).status).toBe(400)
})

async function scenarioOf(name: string) {
  return parseScenario(await readFile(join(import.meta.dirname, `../../../../cli/scenarios/${name}.json`), 'utf8'))
}

const optionsOfScenarios = () => ({ baseUrl: `http://127.0.0.1:${port}`, sandboxPassword: 'sandbox' })

test('the scenario of a reorganization ends with its expected balances and statement', async () => {
  const options = { ...optionsOfScenarios(), settleMilliseconds: 300_000 }
  expect(await runScenario(await scenarioOf('reorganization'), options)).toEqual([])
})

test('a scenario that sets the outcome of a withdrawal runs no step on a sandbox with its own chain', async () => {
  const scenario = await scenarioOf('stuck-payout')
  expect(scenario.description).toContain('CHAIN=simulated')
  const steps: string[] = []
  const options = { ...optionsOfScenarios(), onStep: (text: string) => void steps.push(text) }
  await expect(runScenario(scenario, options)).rejects.toThrow(
    /^The scenario sets the outcome of a withdrawal, .+ Start the sandbox with CHAIN=simulated\.$/,
  )
  expect(steps).toEqual([])
})

test('a transfer mined just before a graceful stop is credited', async () => {
  const sender = await wallet()
  const before = await spendable()
  const to = user.accountAddress as Hex
  await sender.writeContract({ address: euro, abi: tokenAbi, functionName: 'transfer', args: [to, 2n * eur] })
  await end('SIGTERM')
  expect(child.exitCode).toBe(0)
  await start()
  expect(await eventually(spendable, (free) => free > before)).toBe(before + 2n * eur)
})

test('the service exits with an error message when its chain stops unexpectedly', async () => {
  const pid = Number((await readFile(join(dataDir, 'chain/anvil.pid'), 'utf8')).split('\n')[0])
  const ended = once(child, 'close')
  process.kill(pid, 'SIGKILL')
  expect((await ended)[0]).toBe(1)
  expect(output).toContain("The sandbox's own chain stopped unexpectedly.")
})

test('the sandbox reports a chain that cannot start and uses a simulated chain instead', async () => {
  await end('SIGTERM')
  const broken = await mkdtemp(join(tmpdir(), 'purser-broken-chain-'))
  try {
    await mkdir(join(broken, 'chain'))
    await writeFile(join(broken, 'chain/state.json'), 'cut off')
    await start({ DATA_DIR: broken, LOG_LEVEL: 'warn' })
    expect(output).toMatch(/Chain +simulated/)
    expect(output).toContain('own chain did not start')
    expect((await client().sandbox('GET', '/chain')).status).toBe(404)
    const somebody = await client().newUser()
    const body = { userId: somebody.userId, token: euro, amount: '1' }
    expect((await client().sandbox('POST', '/deposits', body)).status).toBe(201)
  } finally {
    await end('SIGTERM')
    await rm(broken, { recursive: true, force: true })
  }
})
