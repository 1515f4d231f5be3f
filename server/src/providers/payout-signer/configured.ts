import type { SignerConfig } from '../../config/payouts.ts'
import { createLocalSigner } from './local.ts'
import type { PayoutSigner } from './payout-signer.ts'

/** The signer that the configuration names. The SDK of a cloud is loaded only where it is used: it is large. */
export async function createSigner(signer: SignerConfig): Promise<PayoutSigner> {
  if (signer.kind === 'local') return createLocalSigner(signer.privateKey)
  const { createAwsKmsSigner } = await import('./aws-kms.ts')
  return createAwsKmsSigner(signer)
}
