import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import type { Clock } from './lib/clock.ts'
import type { Db, Queryable } from './platform/db/db.ts'
import type { Metrics } from './platform/observability/metrics.ts'
import type { CardDetailsProvider } from './providers/card-details/card-details.ts'
import type { ChainProvider } from './providers/chain/chain.ts'
import type { CustodyChain } from './providers/chain/custody.ts'
import type { Sweeper } from './providers/chain/sweeper.ts'
import type { DomainProofProvider } from './providers/domain-proof/domain-proof.ts'
import type { IbanProvider } from './providers/iban/iban.ts'
import type { IssuerProvider } from './providers/issuer/issuer.ts'
import type { KycProvider } from './providers/kyc/kyc.ts'
import type { MailProvider } from './providers/mail/mail.ts'
import type { SandboxControls } from './providers/sandbox-controls.ts'
import type { ScreeningProvider } from './providers/screening/screening.ts'
import type { ContractSignatures } from './providers/signatures/signatures.ts'

/** The ports, each served by one adapter. `providers/open-providers.ts` chooses them. */
export type Providers = {
  readonly clock: Clock
  readonly issuer: IssuerProvider
  readonly cardDetails: CardDetailsProvider
  readonly chain: ChainProvider
  /** null: no real chain, or no wallet that pays for the gas */
  readonly sweeper: Sweeper | null
  /** Where deposits come from, and what the books are held against; none where the chain is simulated. */
  readonly custody: readonly CustodyChain[]
  readonly screening: ScreeningProvider
  readonly kyc: KycProvider
  readonly mail: MailProvider
  readonly domainProof: DomainProofProvider
  /** null: the programme has no bank account numbers. */
  readonly iban: IbanProvider | null
  readonly signatures: ContractSignatures
  /** The simulator's controls; null outside sandbox mode. */
  readonly sandbox: SandboxControls | null
}

/** Everything that a use case may need, passed by hand as the first argument. */
export type Ctx = Providers & {
  readonly config: Config
  readonly db: Db
  readonly log: Logger
  readonly metrics: Metrics
}

/** What reading the facts needs: the whole context, or one snapshot of the database. */
export type ReadCtx = Pick<Ctx, 'config'> & { readonly db: Queryable }
