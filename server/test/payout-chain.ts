import { type Address, encodeAbiParameters, type Hex, keccak256, parseAbiItem } from 'viem'
import type { Ctx } from '../src/context.ts'
import type { ChainConfig } from '../src/lib/chains.ts'
import { createEvmPayouts } from '../src/providers/chain/evm-payouts.ts'
import { createLocalSigner } from '../src/providers/payout-signer/local.ts'
import { createRpcs } from '../src/providers/rpc/rpcs.ts'
import { type Anvil, deploy, send, startAnvil } from './anvil.ts'

/** A chain with one token in euro, and a payout wallet that holds some of it and of the chain's own coin. */
export type PayoutChain = {
  readonly anvil: Anvil
  readonly token: Address
  readonly signer: Address
  /** the configuration that names them */
  readonly env: Record<string, string>
  /** Deposits stay scripted; payouts go to the chain, through another node if told so. For `startService`. */
  alter(ctx: Ctx, nodeUrl?: string): Ctx
  fund(amount: bigint): Promise<void>
  /** The wallet holds exactly so much. */
  setHeld(amount: bigint): Promise<void>
  /** What a payee got, one amount a transfer. */
  paidTo(payee: string): Promise<bigint[]>
  /** Mines what was sent, and makes it final. */
  mineToFinality(): Promise<void>
}

const privateKey: Hex = `0x${'42'.repeat(32)}`
const depth = 2
/** Where TestToken keeps its balances. */
const balancesSlot = 3n
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
    recordsUnknown: false,
  }
  const fund = async (amount: bigint) => {
    await anvil.rpc('evm_setAutomine', [true])
    await send(anvil, 'TestToken', { to: token, call: 'mint', args: [wallet, amount] })
    await anvil.rpc('evm_setAutomine', [false])
  }
  await fund(10n ** 21n)
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
    alter: (ctx, nodeUrl = anvil.url) => ({
      ...ctx,
      chain: {
        ...ctx.chain,
        ...createEvmPayouts({
          rpcs: createRpcs([{ ...chain, rpcUrls: [nodeUrl] }]),
          chains: [chain],
          signer: createLocalSigner(privateKey),
          mostFeePerGas: ctx.config.payouts.mostFeePerGas,
        }),
      },
    }),
    fund,
    async setHeld(amount) {
      const keys = [{ type: 'address' }, { type: 'uint256' }] as const
      const index = keccak256(encodeAbiParameters(keys, [wallet, balancesSlot]))
      const value = encodeAbiParameters([{ type: 'uint256' }], [amount])
      await anvil.client.setStorageAt({ address: token, index, value })
    },
    async paidTo(payee) {
      const args = { to: payee as Address, from: wallet }
      const logs = await anvil.client.getLogs({ address: token, event: transfer, args, fromBlock: 0n })
      return logs.map(({ args }) => args.amount ?? 0n)
    },
    mineToFinality: () => anvil.client.mine({ blocks: depth + 1 }),
  }
}
