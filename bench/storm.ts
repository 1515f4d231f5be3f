import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Abi, type Address, createPublicClient, encodeFunctionData, type Hex, http } from 'viem'
import { startAnvilProcess } from '../server/src/providers/anvil/process.ts'

/** A chain with many transfers of one token, to our addresses and to many others. */
export type Storm = {
  readonly url: string
  readonly pid: number
  readonly chainId: number
  readonly token: Address
  readonly firstBlock: number
  readonly lastBlock: number
  readonly transfers: number
  stop(): Promise<void>
}

const chainId = 31337
/** The deployer's first contract. */
const token = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const firstBlock = 2
const logsPerCall = 1000
const oursPerCall = 91
/** The number of empty blocks at the end, which make all transfers final. */
export const finality = 64

const artifact = fileURLToPath(new URL('../contracts/artifacts/Storm.json', import.meta.url))

/** Makes a block for each thousand transfers, 91 of them to our addresses in turn. */
export async function startStorm(ours: readonly Address[], transfers: number): Promise<Storm> {
  // server/scripts/build-contracts.ts writes this file.
  const { abi, bytecode } = JSON.parse(readFileSync(artifact, 'utf8')) as { abi: Abi; bytecode: Hex }
  // All states stay in memory: after 500 blocks, Anvil would read a JSON file of a megabyte for each balance.
  const limits = ['--gas-limit', '1000000000', '--hardfork', 'cancun', '--prune-history', '100000']
  const anvil = await startAnvilProcess(['--chain-id', String(chainId), ...limits])
  try {
    const client = createPublicClient({ transport: http(anvil.url), cacheTime: 0 })
    // viem has no types for these methods.
    const rpc = (method: string, params: readonly unknown[]) => client.request({ method, params } as never)
    const [from] = (await rpc('eth_accounts', [])) as Address[]
    const send = async (transaction: object) => {
      const hash = (await rpc('eth_sendTransaction', [{ from, gas: '0x3b000000', ...transaction }])) as Hex
      let status: Hex | null = null
      while (status === null) {
        await delay(5)
        status = ((await rpc('eth_getTransactionReceipt', [hash])) as { status: Hex } | null)?.status ?? null
      }
      if (status !== '0x1') throw new Error('a transaction of the storm reverted')
    }
    await send({ data: bytecode })
    const calls = Math.ceil(transfers / oursPerCall)
    for (let call = 0; call < calls; call++) {
      const wanted = Math.min(oursPerCall, transfers - call * oursPerCall)
      const receivers = Array.from({ length: wanted }, (_, i) => ours[(call * oursPerCall + i) % ours.length])
      const args = [receivers, BigInt(logsPerCall - wanted), BigInt(call)]
      await send({ to: token, data: encodeFunctionData({ abi, functionName: 'blow', args }) })
    }
    await rpc('anvil_mine', [`0x${finality.toString(16)}`])
    await delay(100)
    const lastBlock = firstBlock + calls - 1
    const { url, pid, stop } = anvil
    return { url, pid, chainId, token, firstBlock, lastBlock, transfers: calls * logsPerCall, stop }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}
