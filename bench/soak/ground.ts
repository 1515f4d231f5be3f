import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, encodeFunctionData, getAddress, type Hex, http, parseAbi } from 'viem'
import { type Config, readConfig } from '../../server/src/config/config.ts'
import { startAnvilProcess } from '../../server/src/providers/anvil/process.ts'
import { type Database, startDatabase } from '../database.ts'
import { prioritize } from '../machine.ts'
import { type Server, startRole } from '../processes.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/** Everything that a soak runs against: one process for each role, PostgreSQL, a chain and the partners' servers. */
export type SoakGround = {
  readonly config: Config
  /** The environment of the service, for the commands beside it. */
  readonly env: Readonly<Record<string, string>>
  readonly database: Database
  readonly processes: Readonly<Record<'api' | 'worker' | 'watcher', Server>>
  readonly chain: Chain
  readonly receiver: Receiver
  /** Returns the error lines in the logs of all processes, without timeouts of the database. */
  loggedErrors(): Promise<string[]>
  stop(): Promise<void>
}

type Chain = {
  readonly pid: number
  /** Mints tokens for an address. The service must find the transfer by itself. */
  mint(token: string, to: string, units: bigint): Promise<void>
  balanceOf(token: string, owner: string): Promise<bigint>
}

const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
])
const errorLevel = 50
const base = { NODE_ENV: 'production', MODE: 'sandbox', LOG_LEVEL: 'warn' }

/** Starts the ground. `settings` are added to the environment of the service. */
export async function prepareSoakGround(
  random: () => number,
  settings: Readonly<Record<string, string>> = {},
): Promise<SoakGround> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-soak-'))
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each()
  }
  try {
    const database = await startDatabase(folder)
    stops.push(() => database.stop())
    const { chainId } = readConfig({}).tokens[0] ?? { chainId: 0 }
    // As on the sandbox's own chain, a block is final after two others. States older than 1000 blocks are dropped.
    const anvil = await startAnvilProcess([
      ...['--chain-id', String(chainId), '--slots-in-an-epoch', '1'],
      ...['--prune-history', '1000', '--cache-path', join(folder, 'chain')],
    ])
    stops.push(() => anvil.stop())
    const receiver = await startReceiver(random)
    stops.push(() => receiver.stop())
    const logFile = join(folder, 'log')
    const log = openSync(logFile, 'a')
    stops.push(async () => closeSync(log))
    const env = {
      ...base,
      DATABASE_URL: database.url,
      CHAIN: 'evm',
      [`RPC_URL_${chainId}`]: anvil.url,
      DATA_DIR: folder,
      ...settings,
    }
    const start = async (role: 'api' | 'worker' | 'watcher') => {
      const server = await startRole(role, env, log)
      stops.push(() => server.stop())
      return server
    }
    // The first process prepares the chain.
    const processes = { api: await start('api'), worker: await start('worker'), watcher: await start('watcher') }
    // As in deploy/systemd/purser-api@.service.
    prioritize(processes.api.pid, -5)
    return {
      config: readConfig({ ...env, PORT: new URL(processes.api.url).port }),
      env: { ...env, PATH: process.env['PATH'] ?? '' },
      database,
      processes,
      chain: await openChain(anvil.url, anvil.pid),
      receiver,
      async loggedErrors() {
        const lines = (await readFile(logFile, 'utf8')).split('\n')
        // The other lines are the greeting of the sandbox.
        return lines.filter((line) => line.startsWith('{') && isError(JSON.parse(line)))
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

type Line = { readonly level: number; readonly msg?: string; readonly err?: { readonly port?: string } }

/** A response of 502 because of the database counts as a timeout. The driver's own errors have no port. */
function isError({ level, msg, err: { port = 'database' } = {} }: Line): boolean {
  return level >= errorLevel && !(msg === 'upstream request failed' && port === 'database')
}

async function openChain(url: string, pid: number): Promise<Chain> {
  const client = createPublicClient({ transport: http(url), cacheTime: 0 })
  // viem has no types for these methods.
  const rpc = (method: string, params: readonly unknown[]) => client.request({ method, params } as never)
  const accounts = (await rpc('eth_accounts', [])) as string[]
  // The first account pays, because the last one is the treasury of the sandbox.
  const [from] = accounts
  // One at a time, because Anvil may give two transactions that arrive together the same nonce, and reject one of them.
  let lastSent: Promise<unknown> = Promise.resolve()
  const sendNext = (transaction: object): Promise<unknown> => {
    const send = () => rpc('eth_sendTransaction', [{ from, ...transaction }])
    lastSent = lastSent.then(send, send)
    return lastSent
  }
  return {
    pid,
    async mint(token, to, units) {
      const data = encodeFunctionData({ abi, functionName: 'mint', args: [getAddress(to), units] })
      const hash = (await sendNext({ to: token, data })) as Hex
      const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 100 })
      if (status !== 'success') throw new Error('a mint reverted')
    },
    balanceOf: (token, owner) =>
      client.readContract({ address: getAddress(token), abi, functionName: 'balanceOf', args: [getAddress(owner)] }),
  }
}
