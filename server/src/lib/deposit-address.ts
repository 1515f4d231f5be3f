import type { Address, Hex } from 'viem'
import { concatHex, encodeAbiParameters, getAddress, getContractAddress, keccak256, toHex } from 'viem/utils'
import factoryArtifact from '../../../contracts/artifacts/ForwarderFactory.json' with { type: 'json' }

/**
 * Where an account's deposits arrive, known before anything is deployed. Each address follows from the account and the
 * factory alone, and the factory's from the treasury: nobody holds a key, and every chain has the same ones.
 */

/** The contract at this address on every EVM chain deploys what it is sent, at an address that follows from the code. */
export const create2Deployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** What that contract is sent to deploy the factory: a salt, of which we need none, and the code with its argument. */
export function factoryDeployment(treasury: Address): { readonly salt: Hex; readonly code: Hex } {
  const argument = encodeAbiParameters([{ type: 'address' }], [treasury])
  // The artifact is written by scripts/build-contracts.ts, always as 0x and hex digits.
  return { salt: toHex(0, { size: 32 }), code: concatHex([factoryArtifact.bytecode as Hex, argument]) }
}

/** Where the factory of a treasury stands, on every chain where somebody has deployed it. */
export function factoryAddress(treasury: Address): Address {
  const { salt, code } = factoryDeployment(treasury)
  return getContractAddress({ opcode: 'CREATE2', from: create2Deployer, salt, bytecode: code })
}

/** Names an account to the factory. Derived from the user, so that two attempts at creating it are the same one. */
export function accountSalt(userId: string): Hex {
  return keccak256(toHex(`purser account ${userId}`))
}

/** ERC-1167: a contract that hands every call to the implementation, which the factory has created as its first. */
export function depositAddress(factory: Address, userId: string): Address {
  const implementation = getContractAddress({ opcode: 'CREATE', from: factory, nonce: 1n })
  const bytecode = concatHex([
    '0x3d602d80600a3d3981f3363d3d373d3d3d363d73',
    implementation,
    '0x5af43d82803e903d91602b57fd5bf3',
  ])
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt: accountSalt(userId), bytecode })
}

/** Where no chain is attached: nothing but a name, at which nothing can ever arrive. */
export function simulatedAddress(userId: string): Address {
  return getAddress(`0x${accountSalt(userId).slice(-40)}`)
}
