import type { Purser, WalletAdapter } from '@purser/client'

export type Signed = { readonly message: string; readonly signature: string }

/** Asks a wallet to sign an EIP-4361 message with a new nonce. The statement names the change that it approves. */
export async function signStatement(purser: Purser, wallet: WalletAdapter, statement: string): Promise<Signed> {
  const nonce = await purser.auth.createNonce()
  const address = typeof wallet.address === 'string' ? wallet.address : await wallet.address()
  const chainId = (await wallet.chainId?.()) ?? 1
  const message = [
    `${location.host} wants you to sign in with your Ethereum account:`,
    address,
    '',
    statement,
    '',
    `URI: ${location.origin}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date().toISOString()}`,
  ].join('\n')
  return { message, signature: await wallet.signMessage({ message }) }
}
