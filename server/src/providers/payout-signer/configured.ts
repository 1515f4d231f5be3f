import type { SignerConfig } from '../../config/payouts.ts'
import { createLocalSigner } from './local.ts'
import type { PayoutSigner } from './payout-signer.ts'

/** Creates the configured signer. The large cloud SDK is loaded only when it is used. */
export async function createSigner(signer: SignerConfig): Promise<PayoutSigner> {
  if (signer.kind === 'local') return createLocalSigner(signer.privateKey)
  const { createAwsKmsSigner } = await import('./aws-kms.ts')
  return createAwsKmsSigner(signer)
}
