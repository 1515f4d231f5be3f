import type { Address, Hex } from 'viem'
import { encodeAbiParameters, pad, parseErc6492Signature } from 'viem/utils'
import artifact from '../../../../contracts/artifacts/SignatureValidator.json' with { type: 'json' }
import type { ChainConfig } from '../../config/chains.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createRpc, type Rpc, RpcRefusal } from '../rpc/rpc.ts'
import type { ContractSignatures } from './signatures.ts'

/** What a stranger's contract may cost us: `eth_call` runs whatever code stands at the address of the message. */
const limits = { timeoutMilliseconds: 3_000, largestBytes: 64 * 1024, mostInFlight: 16 }
const mostGas = 10_000_000

/** Below stand precompiles and the systems of some chains: no wallets, but some of them answer what they are asked. */
const lowestAccount = 0x10000n

/** Not the zero address: there are contracts that take it for a simulation and leave out their checks. */
const from: Address = '0x507572736572000000000000000000000000ca11'

const nobody = pad('0x', { size: 20 })
const yes = pad('0x1626ba7e', { dir: 'right', size: 32 })
const no = pad('0x', { size: 32 })

const question = [
  { type: 'address' },
  { type: 'bytes32' },
  { type: 'bytes' },
  { type: 'address' },
  { type: 'bytes' },
] as const

/**
 * Contracts' signatures, asked on the chains that have nodes, with nodes' connections of their own: a flood of sign-ins
 * leaves deposits and withdrawals theirs. What the contract does ends in a yes or a no of `SignatureValidator.sol`; every
 * other answer is a failure of the node, and says nothing of the signature.
 */
export function createEvmSignatures(chains: readonly ChainConfig[]): ContractSignatures {
  const rpcs = new Map(chains.map(({ chainId, rpcUrls: urls }) => [chainId, createRpc({ chainId, urls, ...limits })]))

  return {
    supports: (chainId) => rpcs.has(chainId),
    async verify({ chainId, address, hash, signature }) {
      const rpc = rpcs.get(chainId)
      if (!rpc) throw new Error(`chain ${chainId} has no nodes`)
      if (BigInt(address) < lowestAccount) return false
      const unwrapped = unwrap(signature)
      if (unwrapped === null) return false
      return ask(rpc, [address, hash, unwrapped.signature, unwrapped.factory, unwrapped.making])
    },
  }
}

/** The signature proper, and how the account is made where the signature says so (ERC-6492). Null: a broken wrapper. */
function unwrap(signature: Hex): { signature: Hex; factory: Address; making: Hex } | null {
  try {
    const { signature: inner, address: factory = nobody, data: making = '0x' } = parseErc6492Signature(signature)
    return { signature: inner, factory, making }
  } catch {
    return null
  }
}

async function ask(rpc: Rpc, values: [Address, Hex, Hex, Address, Hex]): Promise<boolean> {
  const code = `${artifact.bytecode}${encodeAbiParameters(question, values).slice(2)}`
  const call = { from, data: code, gas: `0x${mostGas.toString(16)}` }
  const answer = await rpc.request('eth_call', [call, 'latest']).catch((error: unknown) => {
    // The validator never reverts, but a node that runs out of patience with a contract may say that it did.
    if (error instanceof RpcRefusal && isRevert(error)) return no
    throw error instanceof RpcRefusal ? new UpstreamError('rpc', 'rejected', error) : error
  })
  if (answer === yes) return true
  if (answer === no) return false
  throw new UpstreamError(
    'rpc',
    'invalid_response',
    new Error(`chain ${rpc.chainId}: the answer to a signature check is neither yes nor no`),
  )
}

/** Execution errors have a code of their own (3), but older nodes say it in words only. */
function isRevert({ code, message }: RpcRefusal): boolean {
  return code === 3 || /^execution reverted/i.test(message)
}
