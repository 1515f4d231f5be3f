import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Abi,
  type Address,
  createTestClient,
  encodeAbiParameters,
  getAddress,
  type Hex,
  http,
  keccak256,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { anvil as anvilChain } from 'viem/chains'
import { startAnvilProcess } from '../../../src/providers/anvil/process.ts'

/** Returns one of Anvil's funded accounts. The first one is the default sender of tests. */
export function anvilAccount(addressIndex: number) {
  return mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex })
}

function clientOf(url: string, chainId: number) {
  return createTestClient({
    mode: 'anvil',
    chain: { ...anvilChain, id: chainId },
    account: anvilAccount(0),
    transport: http(url, { retryCount: 0 }),
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
}

export type Anvil = {
  readonly url: string
  readonly chainId: number
  readonly pid: number
  /** viem's test, public and wallet client in one */
  readonly client: ReturnType<typeof clientOf>
  rpc(method: string, params?: readonly unknown[]): Promise<any>
  stop(): Promise<void>
}

/** Starts a private chain on a free port. It mines transactions at once; a block is final 64 blocks later. */
export async function startAnvil({
  chainId = 31337,
  args = [],
}: {
  chainId?: number
  args?: readonly string[]
} = {}): Promise<Anvil> {
  // By default Anvil caches states in the home directory and leaves the folder behind.
  const states = await mkdtemp(join(tmpdir(), 'purser-anvil-'))
  const chain = await startAnvilProcess(['--chain-id', String(chainId), '--cache-path', states, ...args])
  const { url, pid } = chain
  const client = clientOf(url, chainId)
  // Calls methods of the node for which viem has no types.
  const rpc = (method: string, params: readonly unknown[] = []) => client.request({ method, params } as never)
  async function stop(): Promise<void> {
    await chain.stop()
    await rm(states, { recursive: true, force: true })
  }
  return { url, chainId, pid, client, rpc, stop }
}

export type Artifact = { readonly abi: Abi; readonly bytecode: Hex }

export function artifactOf(name: string): Artifact {
  const file = join(import.meta.dirname, `../../../../contracts/artifacts/${name}.json`)
  // Written by server/scripts/build-contracts.ts.
  return JSON.parse(readFileSync(file, 'utf8')) as Artifact
}

/** Deploys a contract and returns its address. */
export async function deploy(anvil: Anvil, name: string, args: readonly unknown[] = []): Promise<Address> {
  const { abi, bytecode } = artifactOf(name)
  const hash = await anvil.client.deployContract({ abi, bytecode, args })
  const { contractAddress } = await anvil.client.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error(`${name} was not deployed`)
  return getAddress(contractAddress)
}

/** The storage slot in which TestToken stores its balances. */
const balancesSlot = 3n

/** Sets the balance of a holder in the storage of a TestToken, without a transaction. */
export async function setTokenBalance(
  { client }: Anvil,
  { token, holder, amount }: { token: Address; holder: Address; amount: bigint },
): Promise<void> {
  const keys = [{ type: 'address' }, { type: 'uint256' }] as const
  const index = keccak256(encodeAbiParameters(keys, [holder, balancesSlot]))
  const value = encodeAbiParameters([{ type: 'uint256' }], [amount])
  await client.setStorageAt({ address: token, index, value })
}

/** Sends a transaction to one of our contracts and waits until it is mined. Throws if it reverts. */
export async function send(
  anvil: Anvil,
  name: string,
  {
    to,
    call,
    args = [],
    from = 0,
    gas,
  }: {
    to: Address
    call: string
    args?: readonly unknown[]
    from?: number
    gas?: bigint
  },
): Promise<TransactionReceipt> {
  const { abi } = artifactOf(name)
  const account = anvilAccount(from)
  const hash = await anvil.client.writeContract({ abi, address: to, functionName: call, args, account, gas })
  const receipt = await anvil.client.waitForTransactionReceipt({ hash })
  if (receipt.status !== 'success') throw new Error(`${call} reverted`)
  return receipt
}
