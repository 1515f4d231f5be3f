import type { WalletAdapter } from '@purser/client'
import { type Hex, keccak256, stringToHex } from 'viem'
import { privateKeyToAddress, signMessage } from 'viem/accounts'
import { testWalletName } from './test-wallet-names.ts'

/** Wallets whose private keys are public, for the sandbox only. Everyone derives the same ones from their number. */
export type TestWallet = WalletAdapter & { readonly address: string; readonly name: string; readonly number: number }

export function testWallet(number: number): TestWallet {
  return walletOf(number, testWalletKey(number))
}

export const testWalletKey = (number: number): Hex => keccak256(stringToHex(`purser sandbox wallet ${number}`))

/** The well-known second account of Anvil, which is the operator of a sandbox. */
export function testOperator(): TestWallet {
  return walletOf(0, '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d')
}

function walletOf(number: number, privateKey: Hex): TestWallet {
  return {
    number,
    name: testWalletName(number),
    address: privateKeyToAddress(privateKey),
    signMessage: ({ message }) => signMessage({ message, privateKey }),
    async signTypedData(data) {
      const { signTypedData } = await import('./sign-typed-data.ts')
      return signTypedData({ ...(data as Parameters<typeof signTypedData>[0]), privateKey })
    },
  }
}
