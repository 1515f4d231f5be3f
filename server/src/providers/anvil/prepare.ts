import type { Address, Hex } from 'viem'
import { concatHex, encodeDeployData, encodeFunctionData, getAddress, numberToHex, parseAbi } from 'viem/utils'
import tokenArtifact from '../../../../contracts/artifacts/TestToken.json' with { type: 'json' }
import type { ChainConfig } from '../../config/chains.ts'
import type { Token } from '../../config/stablecoins.ts'
import { create2Deployer, factoryAddress, factoryDeployment } from '../../lib/deposit-address.ts'
import { powerOfTen } from '../../lib/money.ts'
import { hasCode, quantity, tokenBalance } from '../chain/evm-reading.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { type AttachedChain, attachChain } from './attached.ts'
import { isAnvil, transact } from './transact.ts'

const tokenAbi = parseAbi(['constructor(string symbol, uint8 decimals)', 'function mint(address to, uint256 amount)'])
/** The initial balance of each programme wallet, in whole tokens. */
const floatTokens = 1_000_000n
const floatCoins = 10_000n * 10n ** 18n
/** The storage slots of the token's name and symbol. */
const textSlots = [0n, 1n]

type Wanted = { readonly tokens: readonly Token[]; readonly wallets: readonly Address[] }

/** Prepares a chain and attaches it. New contracts become final at once, because reconciliation reads final blocks. */
export async function prepareAndAttach(rpc: Rpc, chain: ChainConfig, wanted: Wanted): Promise<AttachedChain> {
  const head = async () => quantity(await rpc.request('eth_blockNumber', []))
  const before = await head()
  await prepareChain(rpc, chain, wanted)
  const attached = await attachChain(rpc, chain)
  if ((await head()) > before) await attached.mineToFinality()
  return attached
}

/**
 * Prepares an Anvil chain for the sandbox: tokens at their configured addresses, the factory of deposit addresses, and
 * funded wallets. Existing contracts and balances stay unchanged. Does nothing on any other node.
 */
async function prepareChain(rpc: Rpc, chain: ChainConfig, { tokens, wallets }: Wanted): Promise<void> {
  if (!(await isAnvil(rpc))) return
  await deployFactory(rpc, chain)
  for (const wallet of wallets) {
    if (quantity(await rpc.request('eth_getBalance', [wallet, 'latest'])) > 0n) continue
    await rpc.request('anvil_setBalance', [wallet, numberToHex(floatCoins)])
  }
  for (const token of tokens.filter(({ chainId }) => chainId === chain.chainId)) {
    await installToken(rpc, token)
    for (const wallet of wallets) await fund(rpc, wallet, token)
  }
}

async function deployFactory(rpc: Rpc, { factory, treasury }: ChainConfig): Promise<void> {
  if (!treasury || !factory || (await hasCode(rpc.request, factory)) || factory !== factoryAddress(treasury)) return
  const { salt, code } = factoryDeployment(treasury)
  await transact(rpc, 'factory', { to: create2Deployer, data: concatHex([salt, code]) })
}

/** Deploys the token, then copies it to its configured address, which a deployment cannot choose. */
async function installToken(rpc: Rpc, { symbol, decimals, address }: Token): Promise<void> {
  const place = getAddress(address)
  if (await hasCode(rpc.request, place)) return
  // server/scripts/build-contracts.ts writes the artifact as 0x and hex digits.
  const bytecode = tokenArtifact.bytecode as Hex
  const data = encodeDeployData({ abi: tokenAbi, bytecode, args: [symbol, decimals] })
  const { contract } = await transact(rpc, `token ${symbol}`, { data })
  if (!contract) throw new Error(`the token ${symbol} was not deployed`)
  for (const slot of textSlots) {
    const text = await rpc.request('eth_getStorageAt', [contract, numberToHex(slot), 'latest'])
    await rpc.request('anvil_setStorageAt', [place, numberToHex(slot), text])
  }
  await rpc.request('anvil_setCode', [place, await rpc.request('eth_getCode', [contract, 'latest'])])
}

async function fund(rpc: Rpc, wallet: Address, { address, decimals }: Token): Promise<void> {
  if ((await tokenBalance(rpc.request, address, wallet)) > 0n) return
  const args = [wallet, floatTokens * powerOfTen(decimals)] as const
  await transact(rpc, `float ${address} ${wallet}`, {
    to: getAddress(address),
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args }),
  })
}
