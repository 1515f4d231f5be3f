import type { Hex } from 'viem'
import { isHex, parseGwei } from 'viem/utils'

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

type Env = Readonly<Record<string, string | undefined>>
type Problem = (name: string, wanted: string) => void

/** The last of the ten accounts that every Anvil knows and makes rich; whoever reads this has its key. */
const sandboxKey = '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6'

export function readPayouts(env: Env, isProduction: boolean, problem: Problem): PayoutConfig {
  const text = (name: string, fallback = '') => env[name]?.trim() || fallback

  function integer(name: string, fallback: number, most: number): number {
    const given = text(name, String(fallback))
    if (/^[1-9][0-9]{0,8}$/.test(given) && Number(given) <= most) return Number(given)
    problem(name, `must be an integer from 1 to ${most}`)
    return fallback
  }

  return {
    mostFeePerGas: parseGwei(String(integer('PAYOUT_MAX_FEE_GWEI', 500, 1_000_000))),
    bumpSeconds: integer('PAYOUT_BUMP_SECONDS', 120, 86_400),
    signer: readSigner(text, isProduction, problem),
  }
}

function readSigner(text: (name: string) => string, isProduction: boolean, problem: Problem): SignerConfig {
  const name = text('SIGNER') || 'local'
  if (name === 'aws-kms') {
    const [keyId, region, endpoint] = [text('KMS_KEY_ID'), text('KMS_REGION'), text('KMS_ENDPOINT')]
    if (keyId === '') problem('KMS_KEY_ID', 'must be the id, ARN or alias of an ECC_SECG_P256K1 key that signs')
    if (region === '') problem('KMS_REGION', 'must be the region of the key')
    if (endpoint !== '' && !URL.canParse(endpoint)) problem('KMS_ENDPOINT', 'must be a URL')
    return { kind: 'aws-kms', keyId, region, endpoint: endpoint || null }
  }
  if (name !== 'local') problem('SIGNER', 'must be one of local, aws-kms')
  else if (isProduction) problem('SIGNER', 'production needs a key that nobody can read: aws-kms')
  const key = text('SIGNER_KEY') || sandboxKey
  if (isHex(key) && key.length === 66) return { kind: 'local', privateKey: key }
  problem('SIGNER_KEY', 'must be a private key: 0x and 64 hex digits')
  return { kind: 'local', privateKey: sandboxKey }
}
