import type { Address, Hex } from 'viem'
import { concatHex, encodeAbiParameters, getAddress, getContractAddress, keccak256, toHex } from 'viem/utils'
import factoryArtifact from '../../../contracts/artifacts/ForwarderFactory.json' with { type: 'json' }

/**
 * Deposit addresses are known before any contract is deployed (CREATE2, EIP-1014). An address depends only on the
 * account and the factory, and the factory's address only on the treasury. No private keys exist for them, and every
 * chain has the same addresses.
 */

/** The deterministic deployment proxy, which has this address on every EVM chain. */
export const create2Deployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** Returns the salt and the creation code with which the proxy deploys the factory. */
export function factoryDeployment(treasury: Address): { readonly salt: Hex; readonly code: Hex } {
  const argument = encodeAbiParameters([{ type: 'address' }], [treasury])
  // server/scripts/build-contracts.ts writes the artifact as 0x and hex digits.
  return { salt: toHex(0, { size: 32 }), code: concatHex([factoryArtifact.bytecode as Hex, argument]) }
}

/** Returns the address of a treasury's factory, the same on every chain. */
export function factoryAddress(treasury: Address): Address {
  const { salt, code } = factoryDeployment(treasury)
  return getContractAddress({ opcode: 'CREATE2', from: create2Deployer, salt, bytecode: code })
}

/**
 * Returns the transaction that deploys a treasury's factory, which anybody can send. Returns null if the factory is a
 * different contract from the one that the treasury implies.
 */
export function factoryTransaction(
  factory: Address,
  treasury: Address,
): { readonly to: Address; readonly data: Hex } | null {
  if (factory !== factoryAddress(treasury)) return null
  const { salt, code } = factoryDeployment(treasury)
  return { to: create2Deployer, data: concatHex([salt, code]) }
}

/** Returns the salt of a user's account. Derived from the user, so that a retry creates the same account. */
export function accountSalt(userId: string): Hex {
  return keccak256(toHex(`purser account ${userId}`))
}

/** Returns the address of a user's minimal proxy (ERC-1167). The factory creates its implementation with nonce 1. */
export function depositAddress(factory: Address, userId: string): Address {
  const implementation = getContractAddress({ opcode: 'CREATE', from: factory, nonce: 1n })
  const bytecode = concatHex([
    '0x3d602d80600a3d3981f3363d3d373d3d3d363d73',
    implementation,
    '0x5af43d82803e903d91602b57fd5bf3',
  ])
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt: accountSalt(userId), bytecode })
}

/** Returns an address for a user where no chain is attached. No funds can arrive there. */
export function simulatedAddress(userId: string): Address {
  return getAddress(`0x${accountSalt(userId).slice(-40)}`)
}
