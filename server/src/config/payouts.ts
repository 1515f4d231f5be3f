import type { Hex } from 'viem'
import { isHex, parseGwei } from 'viem/utils'
import type { Reader } from './reader.ts'

/** Who signs what is paid: a key in memory, or one that AWS KMS keeps. */
export type SignerConfig =
  | { readonly kind: 'local'; readonly privateKey: Hex }
  | { readonly kind: 'aws-kms'; readonly keyId: string; readonly region: string; readonly endpoint: string | null }

export type PayoutConfig = {
  readonly signer: SignerConfig
  /** No payout offers more for a unit of gas, whatever the node says that it costs: in the coin's smallest unit. */
  readonly mostFeePerGas: bigint
  /** A payout that is next and still not mined is offered for more after so long. */
  readonly bumpSeconds: number
}

/** The last of the ten accounts that every Anvil knows and makes rich; whoever reads this has its key. */
const sandboxKey = '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6'

export function readPayouts(read: Reader, isProduction: boolean): PayoutConfig {
  return {
    mostFeePerGas: parseGwei(String(read.integer('PAYOUT_MAX_FEE_GWEI', 500, 1, 1_000_000))),
    bumpSeconds: read.integer('PAYOUT_BUMP_SECONDS', 120, 1, 86_400),
    signer: readSigner(read, isProduction),
  }
}

function readSigner({ text, oneOf, problem }: Reader, isProduction: boolean): SignerConfig {
  if (oneOf('SIGNER', ['local', 'aws-kms'], 'local') === 'aws-kms') {
    const [keyId, region, endpoint] = [text('KMS_KEY_ID', ''), text('KMS_REGION', ''), text('KMS_ENDPOINT', '')]
    if (keyId === '') problem('KMS_KEY_ID', 'must be the id, ARN or alias of an ECC_SECG_P256K1 key that signs')
    if (region === '') problem('KMS_REGION', 'must be the region of the key')
    if (endpoint !== '' && !URL.canParse(endpoint)) problem('KMS_ENDPOINT', 'must be a URL')
    return { kind: 'aws-kms', keyId, region, endpoint: endpoint || null }
  }
  if (isProduction) problem('SIGNER', 'production needs a key that nobody can read: aws-kms')
  const key = text('SIGNER_KEY', sandboxKey)
  if (isHex(key) && key.length === 66) return { kind: 'local', privateKey: key }
  problem('SIGNER_KEY', 'must be a private key: 0x and 64 hex digits')
  return { kind: 'local', privateKey: sandboxKey }
}
