import { describe } from 'vitest'
import { issuerContract } from './issuer.contract.ts'
import { createSandboxIssuer } from './sandbox.ts'

const { provider, controls } = createSandboxIssuer()

describe('the sandbox issuer satisfies the contract of the port', () => {
  issuerContract(
    () => provider,
    () => controls.failNext(1),
  )
})
