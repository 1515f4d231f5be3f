// pure
import type { Mode } from './setting.ts'

/** The differences between the modes that no setting decides. The domain reads these values and never the mode. */
type ModeValues = {
  /** The code that confirms every email address, returned in the response. null: a random code, sent only by mail. */
  readonly fixedEmailCode: string | null
  /** Whether one operator may decide alone, unless a policy is configured. */
  readonly oneOperatorSuffices: boolean
  /** Whether wallets whose keys are public may be operators. */
  readonly allowsTestOperators: boolean
  /** Whether webhooks may go to private addresses and over plain http. */
  readonly allowsPrivateWebhooks: boolean
  /** Whether pages on localhost may call the API over plain http. */
  readonly allowsHttpOnLocalhost: boolean
  /**
   * Whether users may sign in at domains of every environment, not only at those that partners declare for production.
   */
  readonly servesEveryEnvironment: boolean
  /** Whether the secure frame and the console respond only on hosts of their own. */
  readonly separatesHosts: boolean
  /**
   * Whether the log of decisions has a head from the first start. A reset of a sandbox removes the log with its head.
   */
  readonly sealsEmptyDecisionLog: boolean
  /**
   * The lease of a watcher. After a kill, no process reads the chain until the lease expires, or until the successor
   * at the same address releases it. A sandbox restarts often.
   */
  readonly watcherLeaseSeconds: number
  readonly watcherPollMilliseconds: number
  /**
   * Whether a watcher reads up to the head before it stops. The sandbox's own chain stops with the process, and loses
   * past balances in a restart.
   */
  readonly watchesToTheEnd: boolean
}

export const modeValues: Readonly<Record<Mode, ModeValues>> = {
  sandbox: {
    fixedEmailCode: '123456',
    oneOperatorSuffices: true,
    allowsTestOperators: true,
    allowsPrivateWebhooks: true,
    allowsHttpOnLocalhost: true,
    servesEveryEnvironment: true,
    separatesHosts: false,
    sealsEmptyDecisionLog: false,
    watcherLeaseSeconds: 3,
    watcherPollMilliseconds: 200,
    watchesToTheEnd: true,
  },
  production: {
    fixedEmailCode: null,
    oneOperatorSuffices: false,
    allowsTestOperators: false,
    allowsPrivateWebhooks: false,
    allowsHttpOnLocalhost: false,
    servesEveryEnvironment: false,
    separatesHosts: true,
    sealsEmptyDecisionLog: true,
    watcherLeaseSeconds: 30,
    watcherPollMilliseconds: 2000,
    watchesToTheEnd: false,
  },
}
