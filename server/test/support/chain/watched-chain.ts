import { expect } from 'vitest'
import { checkUser } from '../../../src/money/reconcile/reconcile.ts'
import { createWatcher, type Watcher } from '../../../src/money/watcher/watcher.ts'
import type { Metrics } from '../../../src/platform/observability/metrics.ts'
import { createEvmNodes } from '../../../src/providers/chain/evm-transfers.ts'
import { startService, type TestService, type TestUser } from '../service.ts'
import { type Anvil, deploy, send, startAnvil } from './anvil.ts'

export type Watched = {
  readonly anvil: Anvil
  readonly service: TestService
  /** the configuration of the chain */
  readonly env: Readonly<Record<string, string>>
  readonly watcher: Watcher
  /** the first token; by default a euro token with 18 decimals */
  readonly token: `0x${string}`
  /** Creates the watcher of another process on the same chain and database, with other nodes and metrics if given. */
  newWatcher(urls?: readonly string[], metrics?: Metrics): Watcher
  /** Mints tokens for an account in a separate block, and returns the transaction hash. */
  mint(to: string, amount: bigint, token?: `0x${string}`): Promise<string>
  mine(blocks: number): Promise<void>
  /** Reads all blocks and posts their deposits. */
  follow(by?: Watcher): Promise<void>
  /** Mines `finality` blocks, so that all earlier blocks are final, then follows the chain. */
  settle(): Promise<void>
  summaryOf(user: TestUser): Promise<{ own: bigint; processing: bigint; frozen: bigint; items: any[] }>
  assertBooks(user: TestUser): Promise<void>
  alarms(reason: string): Promise<number>
  stop(): Promise<void>
}

export const finality = 4

type WatchedToken = { address: `0x${string}`; symbol: string; currency: string; decimals: number }

const euro = (contract: string) => async (anvil: Anvil) => [
  { address: await deploy(anvil, contract, ['EURe', 18]), symbol: 'EURe', currency: 'EUR', decimals: 18 },
]

/** Starts the service on a private Anvil chain. A test decides when the watcher reads blocks. */
export async function startWatched({
  contract = 'TestToken',
  tokens = euro(contract),
  env = {},
}: {
  contract?: string
  /** deploys the tokens that the service is configured with; the first one becomes `token` */
  tokens?: (anvil: Anvil) => Promise<readonly WatchedToken[]>
  env?: Readonly<Record<string, string>>
} = {}): Promise<Watched> {
  const anvil = await startAnvil()
  const { chainId } = anvil
  const known = await tokens(anvil)
  const token = known[0]?.address ?? '0x'
  const configured = {
    TOKENS: JSON.stringify(known.map((one) => ({ ...one, chainId }))),
    [`RPC_URL_${chainId}`]: anvil.url,
    [`TREASURY_${chainId}`]: '0x00000000000000000000000000000000000000AA',
    [`FINALITY_${chainId}`]: String(finality),
    CHAIN: 'evm',
    ...env,
  }
  const service = await startService({
    worker: false,
    env: configured,
    alter: (ctx) => ({ ...ctx, chain: { ...ctx.chain, transferState: null } }),
  })
  const [chain] = service.ctx.config.chains
  if (!chain) throw new Error('no chain is configured')
  const newWatcher = (rpcUrls: readonly string[] = chain.rpcUrls, metrics = service.ctx.metrics) =>
    createWatcher({ ...service.as('watcher'), metrics }, chain, createEvmNodes({ chainId, rpcUrls }))
  const watcher = newWatcher()

  const watched: Watched = {
    anvil,
    service,
    env: configured,
    watcher,
    token,
    newWatcher,
    async mint(to, amount, of = token) {
      const { transactionHash } = await send(anvil, contract, { to: of, call: 'mint', args: [to, amount] })
      return transactionHash
    },
    async mine(blocks) {
      await anvil.client.mine({ blocks })
    },
    async follow(by = watcher) {
      while (await by.round());
      await service.jobs.runDue()
    },
    async settle() {
      await watched.mine(finality)
      await watched.follow()
    },
    async summaryOf(user) {
      const [row] = await service.ctx.db.query<{ own: bigint; processing: bigint; frozen: bigint }>(
        `select available + debt as own, deposit_processing as processing, frozen from ledger_balance where user_id = $1`,
        [user.userId],
      )
      const statement = await service.request('GET', '/user/statement', { token: user.token })
      return { own: 0n, processing: 0n, frozen: 0n, ...row, items: statement.body.data }
    },
    async assertBooks(user) {
      expect(await checkUser(service.as('reader'), user.userId)).toEqual([])
    },
    alarms: (reason) => service.metric('watcherAlarms', { reason }),
    async stop() {
      await service.stop()
      await anvil.stop()
    },
  }
  return watched
}
