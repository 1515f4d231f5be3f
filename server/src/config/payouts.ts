import { Type } from 'typebox'
import type { Hex } from 'viem'
import { isHex, parseGwei } from 'viem/utils'
import { encryptedUrl } from './outbound.ts'
import { choice, group, optional, setting, type ValuesOf } from './setting.ts'

/** The last of Anvil's ten funded accounts. Its key is public. */
const sandboxKey = '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6'

export const payouts = group('Payouts', 'See "Paying out".', {
  signer: choice('SIGNER', {
    about:
      'The signer of payouts. `local` holds the key in memory, and is for the sandbox only. `aws-kms` uses AWS KMS.',
    sandboxOnly: 'local',
    variants: {
      local: {
        privateKey: setting('SIGNER_KEY', {
          schema: Type.String({ format: 'private-key' }),
          secret: true,
          default: sandboxKey,
          shownDefault: 'a well-known test key',
          convert: toHex,
          about: 'The private key of the `local` signer.',
        }),
      },
      'aws-kms': {
        keyId: setting('KMS_KEY_ID', {
          schema: Type.String(),
          about: 'The id, ARN or alias of a signing key of type `ECC_SECG_P256K1`.',
          hint: 'Use the id, ARN or alias of an ECC_SECG_P256K1 key for signing.',
        }),
        region: setting('KMS_REGION', {
          schema: Type.String(),
          about: 'The AWS region of the key. Credentials come from the usual AWS sources.',
          hint: 'Use the AWS region of the key.',
        }),
        endpoint: optional('KMS_ENDPOINT', {
          schema: Type.String({ format: 'url' }),
          inProduction: encryptedUrl,
          shownDefault: "the region's endpoint",
          about: 'The endpoint of KMS.',
        }),
      },
    },
  }),
  /** In the smallest unit of the chain's coin, for one unit of gas. */
  maxFeePerGas: setting('PAYOUT_MAX_FEE_GWEI', {
    schema: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    default: 500,
    convert: (gwei) => parseGwei(String(gwei)),
    about: 'The highest fee per unit of gas that a payout offers.',
  }),
  bumpSeconds: setting('PAYOUT_BUMP_SECONDS', {
    schema: Type.Integer({ minimum: 1, maximum: 86_400 }),
    default: 120,
    about: 'The time after which the payout with the lowest nonce is sent again with a higher fee.',
  }),
})

export type SignerConfig = ValuesOf<typeof payouts.specs>['signer']

/** The format `private-key` has been checked already; this only tells the compiler. */
export function toHex(text: string): Hex {
  if (!isHex(text)) throw new Error('a private key is not hexadecimal')
  return text
}
