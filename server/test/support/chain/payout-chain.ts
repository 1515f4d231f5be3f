import { type Address, type Hex, parseAbiItem } from 'viem'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { ChainConfig } from '../../../src/config/chains.ts'
import type { Ctx } from '../../../src/context.ts'
import { createEvmPayouts } from '../../../src/providers/chain/evm-payouts.ts'
import { createLocalSigner } from '../../../src/providers/payout-signer/local.ts'
import { createRpcs } from '../../../src/providers/rpc/rpcs.ts'
import { createTestDatabase, type ServiceOptions, startService, type TestService, type TestUser } from '../service.ts'
import { checkBooks } from '../world.ts'
import { type Anvil, deploy, send, setTokenBalance, startAnvil } from './anvil.ts'

/** A chain with one euro token, and a payout wallet that holds some of it and of the chain's native coin. */
export type PayoutChain = {
  readonly anvil: Anvil
  readonly token: Address
  readonly signer: Address
  /** the configuration of the chain and its token */
  readonly env: Record<string, string>
  /** For `startService`. Sends payouts to the chain, through the given nodes if any. Deposits stay simulated. */
  alter(ctx: Ctx, ...nodeUrls: string[]): Ctx
  /** As `alter`, with another signer or first watched block. */
  alterWith(ctx: Ctx, change: { key?: Hex; startBlock?: bigint; nodeUrls?: readonly string[] }): Ctx
  fund(amount: bigint): Promise<void>
  /** Sets the token balance of the payout wallet. */
  setHeld(amount: bigint): Promise<void>
  /** Returns the amounts of all transfers to a payee. */
  paidTo(payee: string): Promise<bigint[]>
  /** Mines all sent transactions and makes them final. */
  mineToFinality(): Promise<void>
}

const privateKey: Hex = `0x${'42'.repeat(32)}`
const depth = 2
const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 amount)')

export async function startPayoutChain(signer?: Address): Promise<PayoutChain> {
  const anvil = await startAnvil()
  const token = await deploy(anvil, 'TestToken', ['EURe', 18])
  const wallet = signer ?? (await createLocalSigner(privateKey).address())
  await anvil.client.setBalance({ address: wallet, value: 10n ** 18n })
  const chain: ChainConfig = {
    chainId: anvil.chainId,
    rpcUrls: [anvil.url],
    finality: depth,
    factory: null,
    treasury: null,
    startBlock: 0n,
    explorer: null,
    recordsUnknown: false,
  }
  const fund = async (amount: bigint) => {
    await anvil.rpc('evm_setAutomine', [true])
    await send(anvil, 'TestToken', { to: token, call: 'mint', args: [wallet, amount] })
    await anvil.rpc('evm_setAutomine', [false])
  }
  await fund(10n ** 21n)
  const alterWith: PayoutChain['alterWith'] = (ctx, { key = privateKey, nodeUrls = [], startBlock = 0n }) => {
    const altered = { ...chain, startBlock, rpcUrls: nodeUrls.length > 0 ? nodeUrls : chain.rpcUrls }
    const payouts = createEvmPayouts({
      rpcs: createRpcs([altered]),
      chains: [altered],
      signer: createLocalSigner(key),
      feeCeilingPerGas: ctx.config.payouts.maxFeePerGas,
    })
    return { ...ctx, chain: { ...ctx.chain, ...payouts } }
  }
  return {
    anvil,
    token,
    signer: wallet,
    env: {
      TOKENS: JSON.stringify([
        { address: token, symbol: 'EURe', currency: 'EUR', decimals: 18, chainId: anvil.chainId },
      ]),
      CHAIN: 'simulated',
    },
    alter: (ctx, ...nodeUrls) => alterWith(ctx, { nodeUrls }),
    alterWith,
    fund,
    setHeld: (amount) => setTokenBalance(anvil, { token, holder: wallet, amount }),
    async paidTo(payee) {
      const args = { to: payee as Address }
      const logs = await anvil.client.getLogs({ address: token, event: transfer, args, fromBlock: 0n })
      return logs.map(({ args }) => args.amount ?? 0n)
    },
    mineToFinality: () => anvil.client.mine({ blocks: depth + 1 }),
  }
}

/**
 * Starts a payout chain and a service on it before the tests of a file, checks all books after each test, and stops
 * both after the last one. Without a worker, each test runs the due work and mines the blocks itself.
 */
export function usePayouts({
  env = {},
  alter = (ctx) => ctx,
}: {
  env?: Record<string, string>
  alter?: (ctx: Ctx) => Ctx
} = {}) {
  const chain = {} as PayoutChain
  const service = {} as TestService
  /** Starts a second service on the chain. */
  const startOther = (connection: TestService['connection'], change = alter) =>
    startOn(chain, { env, alter: change, connection })
  beforeAll(async () => {
    Object.assign(chain, await startPayoutChain())
    Object.assign(service, await startOn(chain, { env, alter }))
  })
  afterEach(() => checkBooks(service))
  afterAll(async () => {
    await service.stop?.()
    await chain.anvil?.stop()
  })
  /** Replaces the service with one on another database, and with the given nodes, if any. */
  async function restore(connection: TestService['connection'], ...nodeUrls: string[]): Promise<void> {
    await service.stop()
    Object.assign(service, await startOn(chain, { env, alter, connection }, ...nodeUrls))
  }
  /** Copies the database, continues on the original and returns the copy. */
  async function backUp(): Promise<TestService['connection']> {
    const { connection } = service
    await service.stop()
    const backup = await createTestDatabase(connection.database)
    Object.assign(service, await startOn(chain, { env, alter, connection }))
    return backup
  }
  return { chain, service, startOther, restore, backUp, ...payoutActions(() => ({ service, chain })) }
}

function startOn(
  chain: PayoutChain,
  { env = {}, alter = (ctx) => ctx, ...options }: ServiceOptions,
  ...nodeUrls: string[]
): Promise<TestService> {
  return startService({
    worker: false,
    env: { ...chain.env, ...env },
    alter: (ctx) => alter(chain.alter(ctx, ...nodeUrls)),
    ...options,
  })
}

/**
 * Returns actions of users at a service whose payouts go to a chain. Each action uses the current service and chain.
 */
export function payoutActions(at: () => { service: TestService; chain: PayoutChain }) {
  const deposit = (user: TestUser, amount: bigint, result: 'approved' | 'rejected' = 'approved') =>
    at().service.deposit(user, amount, { result })

  /** Runs all due work, then moves the clock so that the next check is due. */
  async function work(seconds = 60): Promise<void> {
    const { service } = at()
    await service.jobs.runDue()
    await service.advance(seconds)
  }

  return {
    deposit,
    work,

    async newFundedUser(amount = 100n * 10n ** 18n): Promise<TestUser> {
      const user = await at().service.newUser()
      await deposit(user, amount)
      return user
    },

    async withdraw(user: TestUser, amount: bigint) {
      const { service, chain } = at()
      const token = await service.signIn(user.wallet)
      const body = { tokenAddress: chain.token, amount: String(amount) }
      const answer = await service.request('POST', '/user/withdrawal', { token, body })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body.withdrawalId as string
    },

    /** Pays all due withdrawals and makes their transactions final. */
    async payAndFinalize(): Promise<void> {
      await at().service.jobs.runDue()
      await at().chain.mineToFinality()
      await at().service.advance(60)
    },

    /**
     * Returns the first row of the balances, and the statement. The wallet signs in again, because tests move the
     * clock.
     */
    async viewOf({ wallet }: Pick<TestUser, 'wallet'>) {
      const { service } = at()
      const token = await service.signIn(wallet)
      const get = async (path: string) => (await service.request('GET', path, { token })).body.data
      return { balances: (await get('/user/balances/v2'))[0], statement: await get('/user/statement') }
    },

    /** Runs an action while the payout wallet holds no tokens, so that a transfer fails. */
    async withEmptyWallet(action: () => Promise<void>): Promise<void> {
      const { service, chain } = at()
      const { amount } = await service.ctx.chain.payoutFunds(chain.anvil.chainId, chain.token)
      await chain.setHeld(0n)
      await action()
      await chain.setHeld(amount)
    },
  }
}
