import type { KeyObject } from 'node:crypto'
import type { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { CardKey } from './cards/cards/rules.ts'
import type { Config } from './config/config.ts'
import type { VerifiedToken } from './identity/access-tokens/access-tokens.ts'
import type { StoredKeys } from './identity/access-tokens/keys.ts'
import type { Clock } from './lib/clock.ts'
import type { CachedBalances } from './money/balances/balances.ts'
import type { PayoutTurns } from './money/withdrawals/payout-turn.ts'
import type { PartnerActivity } from './partners/activity.ts'
import type { SignInDomains } from './partners/domains.ts'
import type { ReadsOfPartner } from './partners/reads.ts'
import type { CachedValue } from './platform/cache/cached-value.ts'
import type { Keys } from './platform/crypto/derive-key.ts'
import type { Db, Queryable } from './platform/db/db.ts'
import type { Metrics } from './platform/observability/metrics.ts'
import type { SecurityEvent, SecurityLines } from './platform/observability/security-events.ts'
import type { CardDetailsProvider } from './providers/card-details/card-details.ts'
import type { ChainProvider } from './providers/chain/chain.ts'
import type { CustodyChain } from './providers/chain/custody.ts'
import type { Sweeper } from './providers/chain/sweeper.ts'
import type { DomainProofProvider } from './providers/domain-proof/domain-proof.ts'
import type { IbanProvider } from './providers/iban/iban.ts'
import type { IssuerProvider } from './providers/issuer/issuer.ts'
import type { KycProvider } from './providers/kyc/kyc.ts'
import type { MailProvider } from './providers/mail/mail.ts'
import type { RatesProvider } from './providers/rates/rates.ts'
import type { SandboxControls } from './providers/sandbox-controls.ts'
import type { ScreeningProvider } from './providers/screening/screening.ts'
import type { ContractSignatures } from './providers/signatures/signatures.ts'
import type { KillSwitch } from './switches/rules.ts'
import type { SigningKeys as WebhookKeys } from './webhooks/signature.ts'

/** The ports, each served by one adapter. `providers/open-providers.ts` chooses them. */
export type Providers = {
  readonly clock: Clock
  readonly issuer: IssuerProvider
  readonly cardDetails: CardDetailsProvider
  readonly chain: ChainProvider
  /** null: no real chain, or no wallet that pays for the gas */
  readonly sweeper: Sweeper | null
  /** The chains that deposits come from and that the books are compared with. Empty where the chain is simulated. */
  readonly custody: readonly CustodyChain[]
  readonly screening: ScreeningProvider
  readonly kyc: KycProvider
  readonly mail: MailProvider
  readonly domainProof: DomainProofProvider
  /** null: the programme offers no IBANs */
  readonly iban: IbanProvider | null
  /** null: a card message in a currency other than the card's must name the billed amount */
  readonly rates: RatesProvider | null
  readonly signatures: ContractSignatures
  /** The simulator's controls; null outside sandbox mode. */
  readonly sandbox: SandboxControls | null
}

/**
 * The memory of one process. Losing it costs time, and the part of `partnerActivity` that is not written yet. Caches
 * come first, then the process's own notes.
 */
export type Caches = {
  /** Verified access tokens. The key is the whole token, so no other text can match an entry. */
  readonly accessTokens: LRUCache<string, VerifiedToken>
  readonly signingKeys: CachedValue<StoredKeys>
  /** Keys of access tokens, by purpose and kid. A kid is the hash of its key, so an entry never becomes stale. */
  readonly importedKeys: LRUCache<string, KeyObject>
  /** The last balances response of each user, with the figures that it was made from. */
  readonly balances: LRUCache<string, CachedBalances>
  readonly signInDomains: CachedValue<SignInDomains>
  /** The users of cards, by the names under which the directory lists the cards. An entry never becomes stale. */
  readonly cardKeys: LRUCache<string, CardKey>
  /** Keys derived from SECRET that every sign-in needs, by purpose. */
  readonly derivedKeys: LRUCache<string, Keys>
  /** Decrypted keys of webhook endpoints, by their ciphertext. */
  readonly webhookKeys: LRUCache<string, WebhookKeys>
  /** By token, the funds of the payout wallets that no open withdrawal needs. */
  readonly payoutFunds: CachedValue<ReadonlyMap<string, bigint>>
  /** By chain, the payouts that wait to reserve a nonce. */
  readonly payoutTurns: PayoutTurns
  /** By kill switch, the state that this process has read last. */
  readonly noticedSwitches: Map<KillSwitch, boolean>
  /** By security event, the counts of written and suppressed log lines in the current second. */
  readonly securityLines: Map<SecurityEvent, SecurityLines>
  /** Counts and requests of partners that are not written yet. */
  readonly partnerActivity: PartnerActivity
  /** By partner, the reads of user details that are not in its audit log yet. */
  readonly partnerReads: Map<string, ReadsOfPartner>
  /** The origins whose rejection the log of the sandbox has explained. */
  readonly explainedOrigins: LRUCache<string, true>
  /** The start of the last scan for unsealed movements; null: the next scan looks at every account. */
  readonly sealScan: { startedAt: Date | null }
  /** The hash of the last record that this process logged, by sealed log. */
  readonly loggedEnds: Map<string, string>
}

/** The context that every use case takes as its first argument. */
export type Ctx = Providers & {
  readonly config: Config
  /** Names this run of the process in its leases. */
  readonly processId: string
  readonly db: Db
  readonly log: Logger
  readonly metrics: Metrics
  readonly caches: Caches
}

/** The context of reads: the whole context, or one snapshot of the database. */
export type ReadCtx = Pick<Ctx, 'config'> & { readonly db: Queryable }
