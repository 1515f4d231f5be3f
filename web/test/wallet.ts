import type { BrowserContext } from '@playwright/test'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/** A browser wallet with one account. */
export async function installWallet(context: BrowserContext, account = newAccount()): Promise<PrivateKeyAccount> {
  await installAccounts(context, [account])
  return account
}

export const newAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/**
 * A browser wallet that announces itself by EIP-6963. Its keys stay in the test. The first account is the one that the
 * person has selected.
 */
export async function installAccounts(context: BrowserContext, accounts: readonly PrivateKeyAccount[]): Promise<void> {
  const find = (address: unknown) => {
    const account = accounts.find((each) => each.address === address)
    if (account === undefined) throw new Error('the wallet does not have this account')
    return account
  }
  await context.exposeFunction('storyWallet', async (method: string, params: readonly unknown[]) => {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return accounts.map(({ address }) => address)
      case 'eth_chainId':
        return '0x7a69'
      case 'personal_sign':
        return find(params[1]).signMessage({ message: { raw: params[0] as `0x${string}` } })
      case 'eth_signTypedData_v4':
        return find(params[0]).signTypedData(JSON.parse(String(params[1])))
      default:
        throw new Error(`the wallet does not support ${method}`)
    }
  })
  await context.addInitScript(() => {
    const provider = {
      request: ({ method, params = [] }: { method: string; params?: readonly unknown[] }) =>
        (
          globalThis as unknown as { storyWallet(method: string, params: readonly unknown[]): Promise<unknown> }
        ).storyWallet(method, params),
      on() {},
      removeListener() {},
    }
    const info = {
      uuid: '350670db-19fa-4704-a166-e52e178b59d2',
      name: 'Story Wallet',
      icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
      rdns: 'example.story',
    }
    const announce = () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
    addEventListener('eip6963:requestProvider', announce)
    announce()
  })
}
