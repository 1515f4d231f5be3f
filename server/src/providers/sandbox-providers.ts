import type { Config } from '../config/config.ts'
import type { Providers } from '../context.ts'
import type { Db } from '../platform/db/db.ts'
import { createSandboxCardDetails } from './card-details/sandbox.ts'
import { createSandboxChain } from './chain/sandbox.ts'
import type { ChainProviders } from './chain-providers.ts'
import { createSandboxClock } from './clock/sandbox.ts'
import { createSandboxDomainProof } from './domain-proof/sandbox.ts'
import { createSandboxIban } from './iban/sandbox.ts'
import { createSandboxIssuer } from './issuer/sandbox.ts'
import { createSandboxKyc } from './kyc/sandbox.ts'
import { createSandboxMail } from './mail/sandbox.ts'
import { createSandboxRates } from './rates/sandbox.ts'
import { createSandboxScreening } from './screening/sandbox.ts'
import { createEvmSignatures } from './signatures/evm.ts'

/**
 * Creates the sandbox adapter of every port, and the controls of the simulator. Attached chains replace the simulated
 * one.
 */
export async function sandboxProviders(config: Config, db: Db, attached?: ChainProviders): Promise<Providers> {
  const clock = await createSandboxClock(db)
  const issuer = createSandboxIssuer()
  const cardDetails = createSandboxCardDetails()
  const chain = createSandboxChain()
  const screening = createSandboxScreening(config.screeningRules, config.tokens)
  const kyc = createSandboxKyc(config.servers.base, config.secrets)
  const iban = createSandboxIban()
  return {
    clock,
    issuer: issuer.provider,
    cardDetails: cardDetails.provider,
    chain: attached?.chain ?? chain.provider,
    sweeper: attached?.sweeper ?? null,
    custody: attached?.custody ?? [],
    screening: screening.provider,
    kyc: kyc.provider,
    mail: createSandboxMail(),
    domainProof: createSandboxDomainProof(),
    iban: iban.provider,
    rates: createSandboxRates(),
    signatures: createEvmSignatures(config.chains),
    sandbox: {
      db,
      clock,
      issuer: issuer.controls,
      cardDetails: cardDetails.controls,
      chain: chain.controls,
      attachedChains: attached?.attachedChains ?? [],
      screening: screening.controls,
      kyc: kyc.controls,
      iban: iban.controls,
    },
  }
}
