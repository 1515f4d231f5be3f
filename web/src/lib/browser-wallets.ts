import { eip1193Wallet } from '@purser/client'
import { createStore, type EIP6963ProviderDetail } from 'mipd'
import { isSandbox } from './facts.ts'
import type { Picked } from './session.tsx'
import { testWalletName } from './test-wallet-names.ts'

/** Browser wallets announce themselves by events (EIP-6963), so several can be installed at the same time. */
export const browserWallets = createStore()

export function browserWallet({ info, provider }: EIP6963ProviderDetail): Picked {
  const adapter = eip1193Wallet(boundTo(provider as Provider))
  return { id: info.rdns, name: info.name, isTest: false, adapter }
}

type Provider = Parameters<typeof eip1193Wallet>[0]

/** Returns a provider that keeps its first account, even after the person has selected another one in the wallet. */
function boundTo(provider: Provider): Provider {
  let accounts: Promise<unknown> | null = null
  return {
    request(request) {
      if (request.method !== 'eth_requestAccounts') return provider.request(request)
      accounts ??= provider.request(request).catch((error: unknown) => {
        accounts = null
        throw error
      })
      return accounts
    },
  }
}

/** Returns the wallet with the id of an earlier visit; null: this browser does not have it. */
export async function findWallet(id: string): Promise<Picked | null> {
  const [, number] = /^test:(\d+)$/.exec(id) ?? []
  if (number !== undefined) return isSandbox ? testWalletNumber(Number(number)) : null
  const found = browserWallets.getProviders().find(({ info }) => info.rdns === id)
  return found === undefined ? null : browserWallet(found)
}

/** Test wallets need cryptography, which the page loads only when a person picks a test wallet. */
async function testWalletNumber(number: number): Promise<Picked> {
  const { testOperator, testWallet } = await import('./test-wallets.ts')
  const adapter = number === 0 ? testOperator() : testWallet(number)
  return { id: `test:${number}`, name: testWalletName(number), isTest: true, adapter }
}
