import type { WalletAdapter } from '../../client/src/index.ts'
import { type TypedData, withDomainType } from '../../client/src/wallets.ts'
import { Failure } from './command.ts'
import type { Context } from './context.ts'
import { signerOf } from './decisions.ts'

const signaturePattern = /^0x(?:[0-9a-fA-F]{2})+$/

/** Returns the wallet of a private key in hex. */
export async function keyWallet(key: string): Promise<WalletAdapter> {
  const { privateKeyToAccount } = await import('viem/accounts')
  const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(key)?.[1]
  try {
    // Zero and numbers beyond the order of the curve are not valid keys.
    if (hex !== undefined) return privateKeyToAccount(`0x${hex}`)
  } catch {}
  throw new Failure('PURSER_WALLET_KEY must be a private key of 64 hex digits.')
}

/**
 * Returns a wallet whose key is elsewhere, such as a hardware wallet. It shows what to sign, and asks a person for the
 * signature. `isContract`: only the service can verify the signature.
 */
export async function promptWallet(
  { out, ask }: Context,
  addressText: string,
  { isContract }: { readonly isContract: boolean },
): Promise<WalletAdapter> {
  const { getAddress, isAddress, recoverMessageAddress, toHex } = await import('viem/utils')
  if (!isAddress(addressText, { strict: false })) {
    throw new Failure(`PURSER_WALLET_ADDRESS must be an address of 40 hex digits, not "${addressText}".`)
  }
  const address = getAddress(addressText)

  async function askFor(shown: string, command: string, signer: (signature: string) => Promise<string | null>) {
    out.note(`Sign this with the wallet ${address}:\n\n${shown}\n\nWith a Ledger and Foundry: ${command}\n`)
    const signature = await ask('Signature (0x…): ')
    if (!signaturePattern.test(signature)) throw new Failure('That is not a signature. Paste the hex text with its 0x.')
    if (!isContract && (await signer(signature)) !== address) {
      throw new Failure(`That is not a signature of ${address} for this text. Check the account of the wallet.`)
    }
    return signature
  }

  return {
    address,
    signMessage: ({ message }) =>
      askFor(message, `cast wallet sign --ledger ${toHex(message)}`, (signature) =>
        recoverMessageAddress({ message, signature: signature as `0x${string}` }).catch(() => null),
      ),
    signTypedData(data: TypedData) {
      const json = JSON.stringify(withDomainType(data))
      const command = `cast wallet sign --ledger --data '${json.replaceAll("'", "'\\''")}'`
      return askFor(JSON.stringify(withDomainType(data), null, 2), command, (signature) => signerOf(data, signature))
    },
  }
}
