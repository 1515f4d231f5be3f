import { describe } from 'vitest'
import { kycContract } from './kyc.contract.ts'
import { createSandboxKyc } from './sandbox.ts'

const { provider, controls } = createSandboxKyc('http://localhost:8080', ['a-secret-for-tests'])

describe('the sandbox identity verification satisfies the contract of the port', () => {
  kycContract(
    () => provider,
    'sandbox-DE',
    () => controls.failNext(1),
  )
})
