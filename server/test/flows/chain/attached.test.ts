import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { getAddress, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sandboxTreasury } from '../../../src/config/chains.ts'
import { ConfigError, readConfig } from '../../../src/config/config.ts'
import { factoryAddress } from '../../../src/lib/deposit-address.ts'
import { createLog } from '../../../src/platform/observability/log.ts'
import { chainProviders } from '../../../src/providers/chain-providers.ts'
import { bundled } from '../../support/bundle.ts'
import { type Anvil, artifactOf, deploy, setTokenBalance, startAnvil } from '../../support/chain/anvil.ts'
import { databaseUrl } from '../../support/database-url.ts'
import { processEnv } from '../../support/process-env.ts'
import { startService, type TestService } from '../../support/service.ts'

const other = getAddress('0x7ea5000000000000000000000000000000000002')

let anvil: Anvil
beforeAll(async () => {
  anvil = await startAnvil()
})
afterAll(() => anvil.stop())

const attach = (env: Record<string, string> = {}) =>
  chainProviders(readConfig({ RPC_URL_31337: anvil.url, ...env }), createLog('silent'))
const problemOf = (env: Record<string, string>) =>
  attach(env).then(
    () => 'none',
    (error: unknown) => (error instanceof ConfigError ? error.problems.join() : error),
  )

describe('an external Anvil as the chain of the sandbox', () => {
  let service: TestService
  beforeAll(async () => {
    const { chain, sweeper, attachedChains } = await attach()
    service = await startService({
      env: { RPC_URL_31337: anvil.url, CHAIN: 'evm' },
      worker: false,
      alter: (ctx) => ({ ...ctx, chain, sweeper, sandbox: ctx.sandbox && { ...ctx.sandbox, attachedChains } }),
    })
  })
  afterAll(() => service.stop())

  test('attaching an Anvil twice deploys the contracts once', async () => {
    const block = await anvil.client.getBlockNumber()
    await attach()
    expect(await anvil.client.getBlockNumber()).toBe(block)
    const answer = await service.sandbox('GET', '/chain')
    expect(answer).toMatchObject({ status: 200, body: { chainId: 31337, rpcUrl: anvil.url, finalityDepth: 64 } })
  })

  test('a sandbox deposit is mined even if the account is swept after the gas estimate', async () => {
    const {
      attachedChains: [attached],
    } = await attach()
    const token = getAddress(service.ctx.config.tokens[0]?.address ?? '')
    const deposit = { chainId: anvil.chainId, token, fromAddress: other, toAddress: other, amount: 1n }
    await attached?.sendTokens('before the sweep', deposit)
    await anvil.rpc('evm_setAutomine', [false])
    onTestFinished(() => anvil.rpc('evm_setAutomine', [true]))
    const sent = attached?.sendTokens('after the sweep', deposit)
    await vi.waitFor(async () => expect(await anvil.rpc('txpool_status')).toMatchObject({ pending: '0x1' }))
    await setTokenBalance(anvil, { token, holder: other, amount: 0n })
    await anvil.client.mine({ blocks: 1 })
    expect(await sent).toMatchObject(deposit)
  })

  test('a sandbox deposit gets 502 while the attached chain is unreachable', async () => {
    const user = await service.newUser()
    const token = service.ctx.config.tokens[0]?.address
    const down = await startAnvil()
    const { attachedChains } = await attach({ RPC_URL_31337: down.url })
    await down.stop()
    const cut = await startService({
      connection: service.connection,
      worker: false,
      alter: (ctx) => ({ ...ctx, sandbox: ctx.sandbox && { ...ctx.sandbox, attachedChains } }),
    })
    try {
      const answer = await cut.sandbox('POST', '/deposits', { userId: user.userId, token, amount: '1' })
      expect(answer).toMatchObject({ status: 502, body: { success: false, error: 'UPSTREAM_FAILURE' } })
    } finally {
      await cut.stop()
    }
  })
})

describe('factory checks at startup', () => {
  let foreign: Hex
  beforeAll(async () => {
    foreign = await deploy(anvil, 'ForwarderFactory', [other])
  })
  beforeEach(() => attach())

  test('a factory that pays another treasury is rejected', async () => {
    expect(await problemOf({ FACTORY_31337: foreign })).toContain(`pays ${other} instead of TREASURY_31337`)
    expect(await problemOf({ FACTORY_31337: foreign, TREASURY_31337: other })).toBe('none')
  })

  test('a factory address with another contract or with no contract is rejected', async () => {
    const token = await deploy(anvil, 'TestToken', ['EURe', 18])
    expect(await problemOf({ FACTORY_31337: token })).toContain('is not a factory')
    expect(await problemOf({ FACTORY_31337: other })).toContain('which has no contract')
  })

  test('an unreachable chain does not cause its factory to be rejected', async () => {
    const production = { ...readConfig({ RPC_URL_31337: 'http://127.0.0.1:9' }), mode: 'production' as const }
    await expect(chainProviders(production, createLog('silent'))).resolves.toMatchObject({ attachedChains: [] })
  })

  test('the transaction that `factory list` prints deploys the factory', async () => {
    const { connection, stop } = await startService({ worker: false })
    await stop()
    const { stdout } = await promisify(execFile)(process.execPath, [bundled('operator'), 'factory', 'list'], {
      env: {
        ...processEnv,
        RPC_URL_31337: anvil.url,
        TREASURY_31337: other,
        DATABASE_URL: databaseUrl(connection),
      },
    })
    const [, factory, to, data] = /: (0x\w{40}), .* to (0x\w{40}):\n(0x[0-9a-f]+)/.exec(stdout) ?? []
    expect(factory).toBe(factoryAddress(other))
    const hash = await anvil.client.sendTransaction({ to: to as Hex, data: data as Hex })
    await anvil.client.waitForTransactionReceipt({ hash })
    const { abi } = artifactOf('ForwarderFactory')
    const address = factoryAddress(other)
    expect(await anvil.client.readContract({ abi, address, functionName: 'treasury' })).toBe(other)
    expect(factory).not.toBe(factoryAddress(sandboxTreasury))
  })
})
