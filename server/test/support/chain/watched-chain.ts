import { expect } from 'vitest'
import { checkUser } from '../../../src/money/reconcile/reconcile.ts'
import { createWatcher, type Watcher } from '../../../src/money/watcher/watcher.ts'
import { createEvmNodes } from '../../../src/providers/chain/evm-transfers.ts'
import { startService, type TestService, type TestUser } from '../service.ts'
import { type Anvil, deploy, send, startAnvil } from './anvil.ts'

export type Watched = {
  readonly anvil: Anvil
  readonly service: TestService
  /** the configuration that names the chain */
  readonly env: Readonly<Record<string, string>>
  readonly watcher: Watcher
  /** a euro token of 18 decimals, unless a test says which */
  readonly token: `0x${string}`
  /** Another process on the same chain and database, asking other nodes if told so. */
  newWatcher(urls?: readonly string[]): Watcher
  /** Tokens for an account, in a block of their own; the transaction's hash. */
  mint(to: string, amount: bigint, token?: `0x${string}`): Promise<string>
  mine(blocks: number): Promise<void>
  /** Reads all there is and lets the books follow. */
  follow(by?: Watcher): Promise<void>
  /** Blocks `finality` deep, so that all that stands now is final; then all is followed. */
  settle(): Promise<void>
  shown(user: TestUser): Promise<{ own: bigint; processing: bigint; frozen: bigint; items: any[] }>
  assertBooks(user: TestUser): Promise<void>
  alarms(reason: string): Promise<number>
  stop(): Promise<void>
}

export const finality = 4

type WatchedToken = { address: `0x${string}`; symbol: string; currency: string; decimals: number }

const euro = (contract: string) => async (anvil: Anvil) => [
  { address: await deploy(anvil, contract, ['EURe', 18]), symbol: 'EURe', currency: 'EUR', decimals: 18 },
]

/** The service on an Anvil of its own, whose blocks are followed when a test says so. */
export async function startWatched({
  contract = 'TestToken',
  tokens = euro(contract),
  env = {},
}: {
  contract?: string
  /** deploys those that the service is to know; the first one is `token` */
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
  const newWatcher = (rpcUrls: readonly string[] = chain.rpcUrls) =>
    createWatcher(service.ctx, chain, createEvmNodes({ chainId, rpcUrls }))
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
    async shown(user) {
      const [row] = await service.ctx.db.query<{ own: bigint; processing: bigint; frozen: bigint }>(
        `select available + debt as own, deposit_processing as processing, frozen from ledger_balance where user_id = $1`,
        [user.userId],
      )
      const statement = await service.request('GET', '/user/statement', { token: user.token })
      return { own: 0n, processing: 0n, frozen: 0n, ...row, items: statement.body.data }
    },
    async assertBooks(user) {
      expect(await checkUser(service.ctx, user.userId)).toEqual([])
    },
    async alarms(reason) {
      const { values } = await service.ctx.metrics.watcherAlarms.get()
      return values.find(({ labels }) => labels.reason === reason)?.value ?? 0
    },
    async stop() {
      await service.stop()
      await anvil.stop()
    },
  }
  return watched
}
