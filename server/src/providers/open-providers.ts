import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Providers } from '../context.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Db } from '../platform/db/db.ts'
import { chainProviders } from './chain-providers.ts'
import { createPublicDomainProof } from './domain-proof/public.ts'
import { sandboxProviders } from './sandbox-providers.ts'
import { createEvmSignatures } from './signatures/evm.ts'

/**
 * Chooses the adapter of each port by the configuration. Add a new adapter to this file, `chain-providers.ts` or
 * `sandbox-providers.ts`.
 */
export async function openProviders(config: Config, db: Db, log: Logger): Promise<Providers> {
  const attached = config.chain === 'evm' ? await chainProviders(config, log) : undefined
  switch (config.mode) {
    case 'sandbox': {
      const simulated = await sandboxProviders(config, db, attached)
      return { ...simulated, ...(await openVendors(config, simulated.clock)) }
    }
    case 'production': {
      const vendors = await openVendors(config, systemClock)
      const { issuer, cardDetails, screening, kyc, mail, domainProof, iban = null } = vendors
      if (!attached || !issuer || !cardDetails || !screening || !kyc || !mail || !domainProof) {
        throw new Error('the configuration accepted production without a provider')
      }
      const { chain, sweeper, custody } = attached
      const named = { issuer, cardDetails, chain, sweeper, custody, screening, kyc, mail, iban, domainProof }
      const signatures = createEvmSignatures(config.chains)
      return { ...named, clock: systemClock, rates: null, signatures, sandbox: null }
    }
  }
}

/**
 * Opens the ports that are configured with a vendor. An adapter and its libraries are loaded only where they are used.
 */
async function openVendors(config: Config, clock: Clock): Promise<Partial<Providers>> {
  const { issuer, screening, kyc, mail, iban, tokens } = config
  return {
    ...(issuer.kind === 'http' && {
      issuer: (await import('./issuer/http.ts')).createHttpIssuer(issuer, clock),
      cardDetails: (await import('./card-details/http.ts')).createHttpCardDetails(issuer, clock),
    }),
    ...(screening.kind === 'chainalysis' && {
      screening: (await import('./screening/chainalysis.ts')).createChainalysis(screening, tokens),
    }),
    ...(kyc.kind === 'sumsub' && { kyc: (await import('./kyc/sumsub.ts')).createSumsub(kyc, clock) }),
    ...(mail.kind === 'smtp' && { mail: (await import('./mail/smtp.ts')).createSmtpMail(mail) }),
    ...(iban.kind === 'monerium' && { iban: (await import('./iban/monerium.ts')).createMonerium(iban, clock) }),
    ...(iban.kind === 'none' && { iban: null }),
    ...(config.domainProof === 'public' && { domainProof: createPublicDomainProof() }),
  }
}
