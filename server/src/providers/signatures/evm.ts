import type { Address, Hex } from 'viem'
import { encodeAbiParameters, pad, parseErc6492Signature } from 'viem/utils'
import artifact from '../../../../contracts/artifacts/SignatureValidator.json' with { type: 'json' }
import type { ChainConfig } from '../../config/chains.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createRpc, type Rpc, RpcRejection } from '../rpc/rpc.ts'
import type { ContractSignatures } from './signatures.ts'
import { createSlots } from './slots.ts'

/** Limits the cost of untrusted code: `eth_call` runs the contract at the address of the sign-in message. */
const limits = { timeoutMilliseconds: 3_000, maxBytes: 64 * 1024, maxInFlight: 16 }
const maxGas = 10_000_000

/**
 * Unknown wallets get three quarters of the calls in flight. A client may check several wallets at once, because
 * people in one office may share a network address.
 */
const shares = { maxPerWalletOfClient: 2, maxPerWallet: 6, maxPerClient: 4, maxUnknown: 12 }

/** Lower addresses belong to precompiles and system contracts. They are not wallets, but some return any input. */
const lowestAccount = 0x10000n

/** The caller of the check. For the zero address, some contracts assume a simulation and skip their checks. */
const from: Address = '0x507572736572000000000000000000000000ca11'

const zeroAddress = pad('0x', { size: 20 })
const yes = pad('0x1626ba7e', { dir: 'right', size: 32 })
const no = pad('0x', { size: 32 })

const validatorParameters = [
  { type: 'address' },
  { type: 'bytes32' },
  { type: 'bytes' },
  { type: 'address' },
  { type: 'bytes' },
] as const

/**
 * Verifies contract signatures with `SignatureValidator.sol`, which returns yes or no even if the contract fails. Any
 * other response is a failure of the node. The connections are separate, so that a flood of sign-ins cannot delay
 * deposits and withdrawals.
 */
export function createEvmSignatures(chains: readonly ChainConfig[]): ContractSignatures {
  const { timeoutMilliseconds } = limits
  const connections = new Map(
    chains.map(({ chainId, rpcUrls: urls }) => {
      const rpc = createRpc({ chainId, urls, ...limits })
      return [chainId, { rpc, withSlot: createSlots({ ...shares, timeoutMilliseconds }) }]
    }),
  )

  return {
    supports: (chainId) => connections.has(chainId),
    async verify({ chainId, address, hash, signature, client, isKnown }) {
      const connection = connections.get(chainId)
      if (!connection) throw new Error(`chain ${chainId} has no nodes`)
      if (BigInt(address) < lowestAccount) return false
      const unwrapped = unwrap(signature)
      if (unwrapped === null) return false
      const { rpc, withSlot } = connection
      const deadline = AbortSignal.timeout(timeoutMilliseconds)
      return withSlot({ wallet: address, client, isKnown }, deadline, () =>
        callValidator(rpc, [address, hash, unwrapped.signature, unwrapped.factory, unwrapped.deployment], deadline),
      ).catch((error: unknown) => {
        throw error === deadline.reason ? new UpstreamError('rpc', 'unavailable', error) : error
      })
    },
  }
}

/** Returns the inner signature and the deployment data of ERC-6492; null for a malformed wrapper. */
function unwrap(signature: Hex): { signature: Hex; factory: Address; deployment: Hex } | null {
  try {
    const {
      signature: inner,
      address: factory = zeroAddress,
      data: deployment = '0x',
    } = parseErc6492Signature(signature)
    return { signature: inner, factory, deployment }
  } catch {
    return null
  }
}

async function callValidator(
  rpc: Rpc,
  values: [Address, Hex, Hex, Address, Hex],
  signal: AbortSignal,
): Promise<boolean> {
  const code = `${artifact.bytecode}${encodeAbiParameters(validatorParameters, values).slice(2)}`
  const call = { from, data: code, gas: `0x${maxGas.toString(16)}` }
  const response = await rpc.request('eth_call', [call, 'latest'], { signal }).catch((error: unknown) => {
    // The validator never reverts, but a node reports a revert when a contract exceeds its limits.
    if (error instanceof RpcRejection && isRevert(error)) return no
    throw error instanceof RpcRejection ? new UpstreamError('rpc', 'rejected', error) : error
  })
  if (response === yes) return true
  if (response === no) return false
  throw new UpstreamError(
    'rpc',
    'invalid_response',
    new Error(`chain ${rpc.chainId}: the response to a signature check is neither yes nor no`),
  )
}

/** Returns whether execution reverted. The code is 3, but older nodes report it only in the message. */
function isRevert({ code, message }: RpcRejection): boolean {
  return code === 3 || /^execution reverted/i.test(message)
}
