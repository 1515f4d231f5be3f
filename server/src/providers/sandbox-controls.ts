import type { AttachedChain } from './anvil/attached.ts'
import type { SandboxCardDetailsControls } from './card-details/sandbox.ts'
import type { SandboxChainControls } from './chain/sandbox.ts'
import type { SandboxClock } from './clock/sandbox.ts'
import type { SandboxIbanControls } from './iban/sandbox.ts'
import type { SandboxIssuerControls } from './issuer/sandbox.ts'
import type { SandboxKycControls } from './kyc/sandbox.ts'
import type { SandboxScreeningControls } from './screening/sandbox.ts'

/** What the simulator's routes may do to the providers behind the service: script an answer, move the time. */
export type SandboxControls = {
  readonly clock: SandboxClock
  readonly issuer: SandboxIssuerControls
  readonly cardDetails: SandboxCardDetailsControls
  /** of the simulated chain */
  readonly chain: SandboxChainControls
  /** Real chains that take its place; none: deposits and payments are simulated. */
  readonly attachedChains: readonly AttachedChain[]
  readonly screening: SandboxScreeningControls
  readonly kyc: SandboxKycControls
  readonly iban: SandboxIbanControls
}
