import { execFile } from 'node:child_process'
import { type Address, encodeFunctionData, getAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkCustodyOf } from '../../../src/money/reconcile/custody.ts'
import { reconcileChore } from '../../../src/money/reconcile/jobs.ts'
import { checkAll } from '../../../src/money/reconcile/reconcile.ts'
import { sweepDeposits } from '../../../src/money/sweeps/sweeps.ts'
import { bundled } from '../../support/bundle.ts'
import { type Anvil, artifactOf, deploy, send, startAnvil } from '../../support/chain/anvil.ts'
import { chainEnv, mintDeposit, onNodes, treasury } from '../../support/chain/swept-chain.ts'
import { databaseUrl } from '../../support/database-url.ts'
import { runMoneyCommand } from '../../support/operator.ts'
import { processEnv } from '../../support/process-env.ts'
import { startService, type TestService, type TestUser } from '../../support/service.ts'

const finality = 2
const eur = 10n ** 18n
/** The sandbox mints one million tokens each for the treasury and the payout wallet. */
const own = 2n * 10n ** 24n

let anvil: Anvil
let service: TestService
let euro: Address
let env: Record<string, string>
let user: TestUser

beforeAll(async () => {
  anvil = await startAnvil()
  euro = await deploy(anvil, 'TestToken', ['EURe', 18])
  env = chainEnv(anvil, { finality, tokens: { EURe: euro } })
  service = await startService({ env, worker: false, alter: await onNodes(env) })
  user = await service.newUser()
})
afterAll(async () => {
  await service?.stop()
  await anvil.stop()
})

const mine = () => anvil.client.mine({ blocks: finality })

/** Mints the tokens at `at` and records a deposit of them. */
async function deposit(amount: bigint, options: { fromAddress?: string; at?: string } = {}): Promise<string> {
  const depositId = await mintDeposit(service, anvil, user, { token: euro, amount, ...options })
  await service.jobs.runDue()
  await mine()
  return depositId
}

/** Runs the command `reconcile`. Returns its exit code, its error output, and the lines of its report on custody. */
async function custody(change: Record<string, string> = {}, args: readonly string[] = []) {
  const run = {
    ...processEnv,
    PGOPTIONS: '-c default_transaction_read_only=on',
    DATABASE_URL: databaseUrl(service.connection),
    ...env,
    ...change,
  }
  return new Promise<{ code: number; report: string[]; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [bundled('reconcile'), ...args],
      { env: run },
      (_error, stdout, stderr) => {
        const lines = stdout.split('\n')
        const from = lines.findIndex((line) => line.startsWith('Custody'))
        resolve({ code: child.exitCode ?? -1, report: from < 0 ? [] : lines.slice(from + 1), stdout, stderr })
      },
    )
  })
}

const senderFor = (result: 'rejected') => service.ctx.sandbox?.screening.senderFor(result) ?? ''

/** Runs the reconciliation of the service and returns the counted results and the missing amount in whole tokens. */
async function runReconciliation(custody = service.ctx.custody) {
  const { custodyChecks, custodyMissing, reconcileRuns } = service.ctx.metrics
  custodyChecks.reset()
  reconcileRuns.reset()
  await reconcileChore.run({ ...service.ctx, custody }, new AbortController().signal)
  const [missing] = (await custodyMissing.get()).values
  const results = [reconcileRuns, custodyChecks].map(async (counter) => (await counter.get()).values[0]?.labels.result)
  return { results: await Promise.all(results), missing: missing?.value }
}

test('custody counts deposits at their addresses before a sweep and in the treasury after it', async () => {
  await deposit(150n)
  const before = await custody()
  expect(before).toMatchObject({ code: 0, stderr: '' })
  expect(before.report[0]).toMatch(
    /EURe on chain 31337, block \d+: \d+ in wallets, 150 at deposit addresses; the books: 150$/,
  )
  expect(before.report[1]).toContain(`${own} more, the programme's own`)
  await sweepDeposits(service.ctx)
  await mine()
  await sweepDeposits(service.ctx)
  await sweepDeposits(service.ctx)
  const after = await custody()
  expect(after.code).toBe(0)
  expect(after.report[0]).toContain(`${own + 150n} in wallets, 0 at deposit addresses; the books: 150`)
  expect(await runReconciliation()).toEqual({ results: ['clean', 'clean'], missing: 0 })
})

test('custody accepts a shortfall that pending withdrawals explain', async () => {
  const body = { tokenAddress: euro, amount: '50' }
  expect((await service.request('POST', '/user/withdrawal', { token: user.token, body })).status).toBe(201)
  await steal(own + 50n)
  const { code, report } = await custody()
  expect(report[1]).toContain('50 less, which outgoing payments can explain')
  expect(code).toBe(0)
  expect(await runReconciliation()).toEqual({ results: ['clean', 'clean'], missing: 0 })
})

test('tokens that left without a payout are reported as missing, and reconcile exits with status 1', async () => {
  await steal(1n)
  const { code, report } = await custody()
  expect(code).toBe(1)
  expect(report[1]).toContain('MISSING 51, of which outgoing payments explain at most 50')
  expect(report).toContain('The chain holds LESS than the books.')
  expect(await runReconciliation()).toEqual({ results: ['clean', 'short'], missing: 1e-18 })
})

test('an unreachable chain does not prevent the report of a shortfall on another chain', async () => {
  const [chain] = service.ctx.custody
  if (!chain) throw new Error('no chain is in custody')
  service.ctx.metrics.custodyMissing.reset()
  const unreachable = { ...chain, chainId: 1, nodes: [] }
  expect(await runReconciliation([unreachable, chain])).toEqual({ results: ['clean', 'failed'], missing: 1e-18 })
})

test('the metric of a shortfall is not overwritten by another token with the same symbol', async () => {
  const { config, metrics } = service.ctx
  const twin = await deploy(anvil, 'TestToken', ['EURe', 18])
  await mine()
  const tokens = config.tokens.flatMap((token) => [token, { ...token, address: twin }])
  await reconcileChore.run({ ...service.ctx, config: { ...config, tokens } }, new AbortController().signal)
  const { values } = await metrics.custodyMissing.get()
  const labels = { chain: String(anvil.chainId), token: 'EURe' }
  expect(values).toMatchObject([
    { labels: { ...labels, address: euro }, value: 1e-18 },
    { labels: { ...labels, address: twin }, value: 0 },
  ])
})

test('custody accepts a shortfall during a return and reports none after the return is final', async () => {
  const payAndFinalize = async () => {
    await service.jobs.runDue()
    await mine()
    await service.advance(60)
  }
  // Mint the 51 missing token units in the payout wallet, so that the withdrawal can be paid.
  const at = await service.ctx.chain.payoutSigner(anvil.chainId)
  await send(anvil, 'TestToken', { to: euro, call: 'mint', args: [at, 51n] })
  await payAndFinalize()
  const depositId = await deposit(10n * eur, { fromAddress: senderFor('rejected'), at })
  await runMoneyCommand(service, 'deposits return <id> <reason>', depositId, 'refused by screening')
  await service.jobs.runDue()
  await mine()
  expect((await custody()).report[1]).toContain(`${10n * eur} less, which outgoing payments can explain`)
  await payAndFinalize()
  const { code, report } = await custody()
  expect({ code, more: report[1] }).toEqual({ code: 0, more: "    0 more, the programme's own" })
  expect(await runReconciliation()).toEqual({ results: ['clean', 'clean'], missing: 0 })
})

test('reconcile exits with status 2 when the chain is unreachable', async () => {
  const { code, stderr } = await custody({ RPC_URL_31337: 'http://127.0.0.1:9' })
  expect(code).toBe(2)
  expect(stderr).toContain('The chain cannot be read')
})

test('reconcile exits with status 1 for bad rows and reports them, even when the chain is unreachable', async () => {
  const unreachable = { RPC_URL_31337: 'http://127.0.0.1:9' }
  const edit = (change: number) =>
    service.ctx.db.query(
      'update ledger_balance set available = available + $2, network = network - $2 where user_id = $1',
      [user.userId, change],
    )
  await edit(7)
  const [text, json] = [await custody(unreachable), await custody(unreachable, ['--json'])]
  await edit(-7)
  expect([text.code, json.code]).toEqual([1, 1])
  expect(text.stdout).toContain('The books are NOT correct.')
  expect(JSON.parse(json.stdout)).toMatchObject({ isCorrect: false, badUsers: 1, custody: [] })
  for (const { stderr } of [text, json]) expect(stderr).toContain('The chain cannot be read')
  const clean = await custody(unreachable, ['--json'])
  expect([clean.code, JSON.parse(clean.stdout)]).toEqual([
    2,
    expect.objectContaining({ isCorrect: null, badRows: 0, custody: [] }),
  ])
})

test('reconcile names the payout signer, and not the chain, if the key store does not respond', async () => {
  const kms = { KMS_KEY_ID: 'alias/payouts', KMS_REGION: 'eu-central-1', KMS_ENDPOINT: 'http://127.0.0.1:9' }
  const credentials = { AWS_ACCESS_KEY_ID: 'nobody', AWS_SECRET_ACCESS_KEY: 'nothing' }
  const { code, stderr } = await custody({ SIGNER: 'aws-kms', ...kms, ...credentials })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^The payout signer cannot be reached: .*Check SIGNER/)
})

test('custody skips a node that lags behind the books and uses the next node', async () => {
  const { chainId } = anvil
  const [chain] = service.ctx.custody
  const [node] = chain?.nodes ?? []
  if (!chain || !node) throw new Error('no chain is in custody')
  const { final } = await node.heads(finality)
  await service.ctx.db.query(
    'insert into watched_chain (chain_id, seen_block, final_block, updated_at) values ($1, $2, $2, $3)',
    [chainId, final, new Date()],
  )
  const behind = { ...node, heads: async () => ({ ...(await node.heads(finality)), final: final - 1 }) }
  expect(await runReconciliation([{ ...chain, nodes: [behind] }])).toEqual({ results: ['clean', 'failed'], missing: 0 })
  expect(await runReconciliation([{ ...chain, nodes: [behind, node] }])).toEqual({
    results: ['clean', 'clean'],
    missing: 0,
  })
})

test('custody counts deposits at addresses of an earlier factory long after the sweeper has skipped them', async () => {
  const { ctx } = service
  const newcomer = await service.newUser()
  await mintDeposit(service, anvil, newcomer, { token: euro, amount: 150n })
  await service.jobs.runDue()
  await mine()
  // The deposit addresses of the current factory are different.
  await sweepDeposits({ ...ctx, chain: { ...ctx.chain, depositAddress: () => treasury } })
  await service.advance(2 * 3600)
  const { totals } = await checkAll(ctx)
  const [chain] = ctx.custody
  if (!chain) throw new Error('no chain is in custody')
  const [found] = await checkCustodyOf(ctx, chain, { totals, startedAt: ctx.clock.now() })
  expect(found).toMatchObject({ depositAddresses: 150n, isShort: false })
})

/** Transfers tokens out of the programme's wallets without a payout, as a thief would. */
async function steal(amount: bigint): Promise<void> {
  const payer = getAddress(await service.ctx.chain.payoutSigner(anvil.chainId))
  const { abi } = artifactOf('TestToken')
  const balanceOf = (holder: Address) =>
    anvil.client.readContract({ abi, address: euro, functionName: 'balanceOf', args: [holder] }) as Promise<bigint>
  let left = amount
  for (const from of [payer, treasury]) {
    const taken = [left, await balanceOf(from)].reduce((one, other) => (one < other ? one : other))
    left -= taken
    await anvil.client.impersonateAccount({ address: from })
    await anvil.client.setBalance({ address: from, value: 10n ** 18n })
    const data = encodeFunctionData({
      abi,
      functionName: 'transfer',
      args: ['0x00000000000000000000000000000000000000ee', taken],
    })
    await anvil.rpc('eth_sendTransaction', [{ from, to: euro, data }])
    await mine()
  }
}
