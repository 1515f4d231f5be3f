import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, createPublicClient, erc20Abi, getAddress, http, type PublicClient } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChainConfig, sandboxTreasury } from '../../../src/config/chains.ts'
import { readConfig } from '../../../src/config/config.ts'
import { factoryAddress } from '../../../src/lib/deposit-address.ts'
import type { AttachedChain } from '../../../src/providers/anvil/attached.ts'
import { startOwnChain } from '../../../src/providers/anvil/own-chain.ts'
import { prepareAndAttach } from '../../../src/providers/anvil/prepare.ts'
import type { AnvilProcess } from '../../../src/providers/anvil/process.ts'
import { createRpc } from '../../../src/providers/rpc/rpc.ts'

const chainId = 31337
const { tokens } = readConfig({})
const [euro, , dollar] = tokens
const somebody = getAddress('0x1000000000000000000000000000000000000001')
const account = getAddress('0x1000000000000000000000000000000000000002')
const transfer = { chainId, token: euro?.address ?? '', fromAddress: somebody, toAddress: account, amount: 5n }

let dataDir: string
let running: AnvilProcess

/** Starts and prepares the chain as the service does at startup. */
async function start(): Promise<{ client: PublicClient; attached: AttachedChain }> {
  running = await startOwnChain(dataDir, chainId)
  return attach(running.url)
}

async function attach(url: string, finality: ChainConfig['finality'] = 'finalized') {
  const factory = factoryAddress(sandboxTreasury)
  const chain = {
    chainId,
    rpcUrls: [url],
    finality,
    treasury: sandboxTreasury,
    factory,
    startBlock: 0n,
    explorer: null,
    recordsUnknown: false,
  }
  const rpc = createRpc({ chainId, urls: [url] })
  const client = createPublicClient({ transport: http(url), cacheTime: 0 })
  return { client, attached: await prepareAndAttach(rpc, chain, { tokens, wallets: [sandboxTreasury] }) }
}

const balance = (client: PublicClient, address: string, holder: Address) =>
  client.readContract({ abi: erc20Abi, address: getAddress(address), functionName: 'balanceOf', args: [holder] })

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'purser-chain-'))
})
afterAll(async () => {
  await running.stop()
  await rm(dataDir, { recursive: true, force: true })
})

describe("the sandbox's own chain", () => {
  test("the sandbox's own chain has the configured tokens, the factory and a funded treasury", async () => {
    const { client, attached } = await start()
    expect(attached).toMatchObject({ chainId, rpcUrl: running.url, finalityDepth: 2 })
    for (const { address, symbol, decimals } of tokens) {
      const token = { abi: erc20Abi, address: getAddress(address) }
      expect(await client.readContract({ ...token, functionName: 'symbol' })).toBe(symbol)
      expect(await client.readContract({ ...token, functionName: 'decimals' })).toBe(decimals)
    }
    expect(await balance(client, dollar?.address ?? '', sandboxTreasury)).toBe(1_000_000_000_000n)
    expect(await client.getCode({ address: factoryAddress(sandboxTreasury) })).toBeDefined()
    // The first reconciliation reads the balances of a final block.
    const last = getAddress(tokens.at(-1)?.address ?? '')
    expect(await client.getCode({ address: last, blockTag: 'finalized' })).toBeDefined()
  })

  test('a transfer is mined once for each id and becomes final on request', async () => {
    const { client, attached } = await attach(running.url)
    const first = await attached.sendTokens('one', transfer)
    expect(await attached.sendTokens('one', transfer)).toEqual(first)
    const second = await attached.sendTokens('two', { ...transfer, amount: 7n })
    expect(second.txHash).not.toBe(first.txHash)
    expect(await balance(client, transfer.token, account)).toBe(12n)

    const { logs, blockNumber } = await client.getTransactionReceipt({ hash: second.txHash as `0x${string}` })
    expect(logs[second.logPosition]).toMatchObject({ address: transfer.token.toLowerCase() })
    const final = async () => (await client.getBlock({ blockTag: 'finalized' })).number
    expect(await final()).toBeLessThan(blockNumber)
    await attached.mineToFinality()
    expect(await final()).toBeGreaterThanOrEqual(blockNumber)
  })

  test("the sandbox's own chain mines blocks only while a transfer is not final", async () => {
    const { client, attached } = await attach(running.url)
    await attached.sendTokens('three', transfer)
    const before = await client.getBlockNumber()
    for (let steps = 0; steps < 10; steps++) await attached.mineWhilePending()
    expect(await client.getBlockNumber()).toBe(before + 2n)
  })

  test("the sandbox's own chain respects a finality given as a block depth", async () => {
    const { client, attached } = await attach(running.url, 5)
    expect(attached.finalityDepth).toBe(5)
    const before = await client.getBlockNumber()
    await attached.mineToFinality()
    expect(await client.getBlockNumber()).toBe(before + 5n)
  })
})

describe("restarts of the sandbox's own chain", () => {
  test('a gracefully restarted chain has the same URL, balances and history', async () => {
    const url = running.url
    const { attached } = await attach(url)
    const sent = await attached.sendTokens('one', transfer)
    await running.stop()
    const { client, attached: again } = await start()
    expect(running.url).toBe(url)
    expect(await balance(client, transfer.token, account)).toBe(17n)
    // The history remains too: the transfer of an id is found and not sent again.
    expect(await again.sendTokens('one', transfer)).toEqual(sent)
  })

  test('the service takes over a chain process that is still running', async () => {
    const { pid, url } = running
    const before = running
    const { client } = await start()
    expect(running).toMatchObject({ pid, url })
    expect(await balance(client, transfer.token, account)).toBe(17n)
    await running.stop()
    await before.ended
  })

  test('an unrelated process with the pid of an old chain is not stopped', async () => {
    const pidFile = join(dataDir, 'chain/anvil.pid')
    await writeFile(pidFile, `${process.pid}\nhttp://127.0.0.1:45999\n`)
    await start()
    expect(running.pid).not.toBe(process.pid)
    expect(await readFile(pidFile, 'utf8')).toContain(String(running.pid))
  })

  test('a running chain with other settings is stopped gracefully and replaced', async () => {
    const before = running
    running = await startOwnChain(dataDir, 31338)
    await before.ended
    expect(running.pid).not.toBe(before.pid)
  })
})
