import type { Logger } from 'pino'
import { type Config, ConfigError } from '../config/config.ts'
import { StartError, UpstreamError } from '../lib/errors.ts'
import type { AttachedChain } from './anvil/attached.ts'
import { prepareAndAttach } from './anvil/prepare.ts'
import type { ChainProvider } from './chain/chain.ts'
import type { CustodyChain } from './chain/custody.ts'
import { createEvmChain } from './chain/evm.ts'
import { custodyChains } from './chain/evm-custody.ts'
import { createEvmSweeper } from './chain/evm-sweeper.ts'
import { findFactoryProblem } from './chain/factories.ts'
import type { Sweeper } from './chain/sweeper.ts'
import { createSigner } from './payout-signer/configured.ts'
import { createRpcs, type Rpcs, rpcOf } from './rpc/rpcs.ts'

/** The chain port on real nodes and, in the sandbox, the simulator's control over their chains. */
export type ChainProviders = {
  readonly chain: ChainProvider
  readonly sweeper: Sweeper | null
  readonly custody: readonly CustodyChain[]
  readonly attachedChains: readonly AttachedChain[]
}

export async function chainProviders(config: Config, log: Logger): Promise<ChainProviders> {
  const { chains, payouts, sweeps, mode } = config
  const rpcs = createRpcs(chains)
  const signer = await createSigner(payouts.signer)
  const sweeper =
    sweeps.key && createEvmSweeper({ rpcs, chains, key: sweeps.key, feeCeilingPerGas: sweeps.maxFeePerGas })
  const custody = custodyChains(config, signer)
  // Only workers sign. A sandbox also funds the signer's wallet.
  if (config.roles.includes('worker') || mode === 'sandbox')
    await orStartError(signer.address(), 'The key that signs payouts', 'KMS_KEY_ID')
  const attachedChains = mode === 'sandbox' ? await attachChains(config, rpcs, custody) : []
  await checkFactories(config, rpcs, log)
  const chain = createEvmChain({ rpcs, chains, signer, feeCeilingPerGas: payouts.maxFeePerGas })
  return { chain, sweeper, custody, attachedChains }
}

async function attachChains(
  { tokens }: Config,
  rpcs: Rpcs,
  custody: readonly CustodyChain[],
): Promise<AttachedChain[]> {
  const attached: AttachedChain[] = []
  for (const chain of custody) {
    const { chainId } = chain
    const wallets = await chain.wallets()
    const rpc = rpcOf(rpcs, chainId)
    const prepared = prepareAndAttach(rpc, chain, { tokens, wallets })
    attached.push(await orStartError(prepared, `Chain ${chainId}`, `RPC_URL_${chainId}`))
  }
  return attached
}

/** Converts an upstream failure to a startup error that names the setting to check. */
function orStartError<T>(result: Promise<T>, subject: string, setting: string): Promise<T> {
  return result.catch((error: unknown) => {
    if (!(error instanceof UpstreamError)) throw error
    const reason = error.cause instanceof Error ? error.cause.message : String(error.cause)
    throw new StartError(`${subject} cannot be used: ${reason}. Check ${setting}.`)
  })
}

/** Aborts the startup when a factory is wrong. An unreachable chain only causes a warning. */
async function checkFactories({ chains }: Config, rpcs: Rpcs, log: Logger): Promise<void> {
  const checks = chains.map((chain) =>
    findFactoryProblem(rpcs, chain).catch((error: unknown) => {
      if (!(error instanceof UpstreamError)) throw error
      log.warn({ err: error, chainId: chain.chainId }, 'check of the deposit address factory failed')
      return null
    }),
  )
  const problems = (await Promise.all(checks)).flatMap((problem) => problem ?? [])
  if (problems.length > 0) throw new ConfigError(problems)
}
