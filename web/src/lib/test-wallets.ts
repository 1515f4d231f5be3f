import type { WalletAdapter } from '@purser/client'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { testWalletName } from './test-wallet-names.ts'

/** Wallets with public keys, for the sandbox only. Everyone derives the same ones from their number. */
export type TestWallet = WalletAdapter & { readonly address: string; readonly name: string; readonly number: number }

export function testWallet(number: number): TestWallet {
  const account = privateKeyToAccount(keccak256(stringToHex(`purser sandbox wallet ${number}`)))
  return {
    number,
    name: testWalletName(number),
    address: account.address,
    signMessage: ({ message }) => account.signMessage({ message }),
    signTypedData: (data) => account.signTypedData(data as never),
  }
}

/** The well-known second account of Anvil, which is the operator of a sandbox. */
export function testOperator(): TestWallet {
  const account = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d')
  return {
    number: 0,
    name: testWalletName(0),
    address: account.address,
    signMessage: ({ message }) => account.signMessage({ message }),
    signTypedData: (data) => account.signTypedData(data as never),
  }
}
