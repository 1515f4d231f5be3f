import { type Address, getAddress } from 'viem'
import { readConfig } from '../../../src/config/config.ts'
import type { Ctx } from '../../../src/context.ts'
import { followTransfer, seeDeposit } from '../../../src/money/deposits/deposits.ts'
import { createLog } from '../../../src/platform/observability/log.ts'
import { chainProviders } from '../../../src/providers/chain-providers.ts'
import type { TestService, TestUser } from '../service.ts'
import { type Anvil, artifactOf, send } from './anvil.ts'

export const treasury = getAddress('0x7ea5000000000000000000000000000000000001')

/** Returns the settings of a service on a chain with euro tokens, whose blocks are final at this depth. */
export function chainEnv(
  { chainId, url }: Anvil,
  { finality, tokens, urls = [url] }: { finality: number; tokens: Record<string, Address>; urls?: readonly string[] },
): Record<string, string> {
  const euros = Object.entries(tokens).map(([symbol, address]) => ({
    ...{ address, symbol, currency: 'EUR', decimals: 18, chainId },
  }))
  return {
    TOKENS: JSON.stringify(euros),
    SWEEP_MINIMUMS: JSON.stringify(Object.fromEntries(euros.map(({ address }) => [address, '100']))),
    CHAIN: 'evm',
    [`RPC_URL_${chainId}`]: urls.join(),
    [`TREASURY_${chainId}`]: treasury,
    [`FINALITY_${chainId}`]: String(finality),
  }
}

/** For `startService`: replaces the simulated chain with the nodes of the settings. */
export async function onNodes(env: Record<string, string>): Promise<(ctx: Ctx) => Ctx> {
  const { chain, sweeper, custody } = await chainProviders(readConfig(env), createLog('silent'))
  return (ctx) => ({ ...ctx, chain, sweeper, custody })
}

/** Mints tokens at an address, by default the user's, and records them as the user's final deposit. Returns its id. */
export async function mintDeposit(
  { ctx }: TestService,
  { chainId, ...anvil }: Anvil,
  { accountAddress }: TestUser,
  {
    token,
    amount,
    contract = 'TestToken',
    fromAddress = treasury,
    at = accountAddress,
  }: { token: Address; amount: bigint; contract?: string; fromAddress?: string; at?: string },
): Promise<string> {
  const { transactionHash: txHash } = await send({ chainId, ...anvil }, contract, {
    to: token,
    call: 'mint',
    args: [at, amount],
  })
  const transfer = { chainId, txHash, logPosition: 0, token, fromAddress, toAddress: accountAddress, amount }
  const key = await seeDeposit(ctx, transfer)
  if (key === null) throw new Error('no user has this deposit address')
  await followTransfer(ctx, key, 'final')
  return key.depositId
}

/** Returns the balance of a token's holder on the chain. */
export function heldBy({ client }: Anvil, token: Address, holder: string): Promise<unknown> {
  const { abi } = artifactOf('TestToken')
  return client.readContract({ abi, address: token, functionName: 'balanceOf', args: [holder] })
}
