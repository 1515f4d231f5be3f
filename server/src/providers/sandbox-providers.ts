import type { Config } from '../config.ts'
import type { Providers } from '../context.ts'
import type { Db } from '../db/db.ts'
import { createSandboxChain } from './chain/sandbox.ts'
import { createSandboxClock } from './clock/sandbox.ts'
import { createSandboxDomainProof } from './domain-proof/sandbox.ts'
import { createSandboxIssuer } from './issuer/sandbox.ts'
import { createSandboxKyc } from './kyc/sandbox.ts'
import { createSandboxMail } from './mail/sandbox.ts'
import { createSandboxScreening } from './screening/sandbox.ts'
import { createEvmSignatures } from './signatures/evm.ts'

/** Every port served by the simulator, and the controls its routes use. */
export async function sandboxProviders(config: Config, db: Db): Promise<Providers> {
  const clock = await createSandboxClock(db)
  const issuer = createSandboxIssuer()
  const chain = createSandboxChain()
  const screening = createSandboxScreening()
  const kyc = createSandboxKyc(config.servers.base)
  return {
    clock,
    issuer: issuer.provider,
    chain: chain.provider,
    screening: screening.provider,
    kyc: kyc.provider,
    mail: createSandboxMail(),
    domainProof: createSandboxDomainProof(),
    signatures: createEvmSignatures(config.chains),
    sandbox: {
      clock,
      issuer: issuer.controls,
      chain: chain.controls,
      screening: screening.controls,
      kyc: kyc.controls,
    },
  }
}
