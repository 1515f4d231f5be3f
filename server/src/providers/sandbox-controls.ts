import type { Db } from '../platform/db/db.ts'
import type { AttachedChain } from './anvil/attached.ts'
import type { SandboxCardDetailsControls } from './card-details/sandbox.ts'
import type { SandboxChainControls } from './chain/sandbox.ts'
import type { SandboxClock } from './clock/sandbox.ts'
import type { SandboxIbanControls } from './iban/sandbox.ts'
import type { SandboxIssuerControls } from './issuer/sandbox.ts'
import type { SandboxKycControls } from './kyc/sandbox.ts'
import type { SandboxScreeningControls } from './screening/sandbox.ts'

/** The simulator's control over the sandbox providers: scripted responses and time. */
export type SandboxControls = {
  /** The simulator's own connections. It plays parts of every role of the service. */
  readonly db: Db
  readonly clock: SandboxClock
  readonly issuer: SandboxIssuerControls
  readonly cardDetails: SandboxCardDetailsControls
  /** Controls the simulated chain. */
  readonly chain: SandboxChainControls
  /** Real chains that replace the simulated one. If empty, deposits and payouts are simulated. */
  readonly attachedChains: readonly AttachedChain[]
  readonly screening: SandboxScreeningControls
  readonly kyc: SandboxKycControls
  readonly iban: SandboxIbanControls
}
