import type { BrowserContext } from '@playwright/test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** A browser wallet that announces itself by EIP-6963. Its key stays in the test. */
export async function installWallet(context: BrowserContext, account = privateKeyToAccount(generatePrivateKey())) {
  await context.exposeFunction('storyWallet', async (method: string, params: readonly unknown[]) => {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [account.address]
      case 'eth_chainId':
        return '0x7a69'
      case 'personal_sign':
        return account.signMessage({ message: { raw: params[0] as `0x${string}` } })
      case 'eth_signTypedData_v4':
        return account.signTypedData(JSON.parse(String(params[1])))
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
  return account
}
