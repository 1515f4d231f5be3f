import { LRUCache } from 'lru-cache'
import type { Caches } from '../../context.ts'
import { cachedValue } from './cached-value.ts'

/**
 * Creates the memory of one process. Each cache is bounded by a limit, a fixed set of keys, the number of partners, or
 * the number of open requests, so that no client can fill the memory.
 */
export function createCaches(): Caches {
  return {
    accessTokens: new LRUCache({ max: 20_000 }),
    signingKeys: cachedValue(),
    derivedKeys: new LRUCache({ max: 100 }),
    importedKeys: new LRUCache({ max: 100 }),
    balances: new LRUCache({ max: 10_000 }),
    cardKeys: new LRUCache({ max: 20_000 }),
    signInDomains: cachedValue(),
    webhookKeys: new LRUCache({ max: 1000 }),
    payoutFunds: cachedValue(),
    payoutTurns: new Map(),
    noticedSwitches: new Map(),
    securityLines: new Map(),
    partnerActivity: { counts: new Map(), requests: [], dropped: 0 },
    partnerReads: new Map(),
    explainedOrigins: new LRUCache({ max: 100 }),
    sealScan: { startedAt: null },
    loggedEnds: new Map(),
  }
}

/** Evicts everything that describes users, partners or sealed logs. The keys of the service and its own state stay. */
export function clearCaches(caches: Caches): void {
  const { accessTokens, balances, cardKeys, signInDomains, webhookKeys, payoutFunds, loggedEnds, partnerActivity } =
    caches
  const cleared = [accessTokens, balances, cardKeys, signInDomains, webhookKeys, payoutFunds, loggedEnds]
  for (const cache of cleared) cache.clear()
  partnerActivity.counts.clear()
  partnerActivity.requests.length = 0
}
