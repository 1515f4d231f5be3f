import type { SignerConfig } from '../../lib/payouts.ts'
import { createAwsKmsSigner } from './aws-kms.ts'
import { createLocalSigner } from './local.ts'
import type { PayoutSigner } from './payout-signer.ts'

/** The signer that the configuration names. */
export function createSigner(signer: SignerConfig): PayoutSigner {
  return signer.kind === 'local' ? createLocalSigner(signer.privateKey) : createAwsKmsSigner(signer)
}
