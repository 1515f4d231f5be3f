import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, encodeFunctionData, getAddress, http, parseAbi, parseAbiItem } from 'viem'
import { type Config, readConfig } from '../../src/config/config.ts'
import { startAnvilProcess } from '../../src/providers/anvil/process.ts'
import { type Connection, type Process, startProcess } from '../proof/processes.ts'
import { bundled } from '../support/bundle.ts'
import { databaseUrl } from '../support/database-url.ts'
import { processEnv } from '../support/process-env.ts'

/** A transfer of tokens on the chain. */
type Transfer = { readonly from: string; readonly to: string; readonly units: bigint }

type Chain = {
  readonly url: string
  readonly token: string
  /** Mints tokens for a deposit address. The service must find them by itself. */
  mint(to: string, units: bigint): Promise<void>
  transfers(): Promise<Transfer[]>
}

/** Everything that a drill runs against, except PostgreSQL. */
export type Ground = {
  readonly folder: string
  readonly config: Config
  readonly chain: Chain
  /** The settings that all processes share. */
  readonly env: Readonly<Record<string, string>>
  start(connection: Connection, env?: Record<string, string>, main?: string): Promise<Process>
  /** Runs a command of an operator's shell beside the service. */
  command(program: 'reconcile' | 'backup' | 'operator', connection: Connection, ...args: string[]): Promise<Finished>
  /** Registers a function that `stop` calls. */
  onStop(stop: () => Promise<unknown>): void
  /** Stops everything that was started here, and calls the registered functions, in reverse order. */
  stop(): Promise<void>
}

type Finished = { readonly code: number; readonly output: string }

const abi = parseAbi(['function mint(address to, uint256 amount)'])
const transferred = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 amount)')

export async function startGround(extra: Record<string, string> = {}): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-drill-'))
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const [{ chainId, address: token } = { chainId: 0, address: '' }] = readConfig({}).tokens
  const args = ['--chain-id', String(chainId), '--slots-in-an-epoch', '1', '--cache-path', join(folder, 'chain')]
  const anvil = await startAnvilProcess(args)
  stops.push(() => anvil.stop())
  const client = createPublicClient({ transport: http(anvil.url, { retryCount: 0, timeout: 60_000 }), cacheTime: 0 })
  // viem has no types for these methods.
  const rpc = (method: string, params: readonly unknown[]): Promise<any> => client.request({ method, params } as never)
  const [minter] = await rpc('eth_accounts', [])
  async function mintNow(to: string, units: bigint): Promise<void> {
    const data = encodeFunctionData({ abi, functionName: 'mint', args: [getAddress(to), units] })
    const hash = await rpc('eth_sendTransaction', [{ from: minter, to: token, data }])
    const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 100 })
    if (status !== 'success') throw new Error('a mint reverted')
  }
  // Mints run one after the other, because they share a wallet and its nonces.
  let last: Promise<unknown> = Promise.resolve()
  const env = {
    CHAIN: 'evm',
    [`RPC_URL_${chainId}`]: anvil.url,
    DATA_DIR: folder,
    // Access tokens of one process are valid at all of them.
    ...{ TOKEN_ISSUER: 'http://localhost', TOKEN_AUDIENCE: 'http://localhost' },
    ...extra,
  }
  return {
    folder,
    env,
    config: readConfig(env),
    chain: {
      url: anvil.url,
      token,
      mint(to, units) {
        const minted = last.then(() => mintNow(to, units))
        last = minted.catch(() => {})
        return minted
      },
      async transfers() {
        const logs = await client.getLogs({ address: getAddress(token), event: transferred, fromBlock: 0n })
        return logs.map(({ args: { from = '', to = '', amount = 0n } }) => ({ from, to, units: amount }))
      },
    },
    async start(connection, more = {}, main) {
      const started = await startProcess(connection, { ...env, ...more }, main)
      stops.push(() => started.kill())
      return started
    },
    command(program, connection, ...given) {
      const all = { ...processEnv, ...env, DATABASE_URL: databaseUrl(connection), DATABASE_ROLES: 'on' }
      return new Promise((resolve) => {
        execFile(process.execPath, [bundled(program), ...given], { env: all }, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` }),
        )
      })
    },
    onStop(stop) {
      stops.push(stop)
    },
    async stop() {
      for (const each of stops.splice(0).reverse()) await each()
    },
  }
}
