import { keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { failure, type Kms, startKms } from '../../../test/support/vendors/kms.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createAwsKmsSigner } from './aws-kms.ts'
import { createLocalSigner } from './local.ts'
import { payoutSignerContract } from './payout-signer.contract.ts'

const digest = keccak256(stringToHex('one'))

let kms: Kms
beforeAll(async () => {
  kms = await startKms()
  for (const [name, value] of Object.entries(kms.env)) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await kms.stop()
})

const signerAt = (change: object = {}) =>
  createAwsKmsSigner({ keyId: kms.keyId, region: kms.region, endpoint: kms.url, ...change })

describe('a local key satisfies the contract of the port', () => {
  payoutSignerContract(() => createLocalSigner(`0x${'11'.repeat(32)}`))
})

describe('a key in AWS KMS satisfies the contract of the port', () => {
  payoutSignerContract(() => signerAt())

  test('the KMS signer has the address of its key and signs every request as AWS requires', async () => {
    expect(await signerAt().address()).toBe(kms.address)
    expect(kms.rejections).toEqual([])
  })
})

test('a wrong KMS secret, region or key is an upstream error', async () => {
  await expect(signerAt({ keyId: 'another' }).sign(digest)).rejects.toThrow(UpstreamError)
  await expect(signerAt({ region: 'us-east-1' }).sign(digest)).rejects.toThrow(UpstreamError)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another secret')
  const stranger = signerAt()
  await expect(stranger.sign(digest)).rejects.toThrow(UpstreamError)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', kms.env.AWS_SECRET_ACCESS_KEY)
  expect(kms.rejections).toEqual([expect.stringContaining('us-east-1'), 'the signature is wrong'])
})

describe('invalid KMS signatures', () => {
  const answers: Record<string, object> = {
    'a signature of another key': { Signature: Buffer.from(`3006020101020102`, 'hex').toString('base64') },
    'a signature that is not DER': { Signature: Buffer.from('no signature').toString('base64') },
    'a truncated signature': { Signature: Buffer.from('30440220', 'hex').toString('base64') },
    'a signature with an oversized number': {
      Signature: Buffer.from(`3046022101${'ff'.repeat(32)}02210${'1'.repeat(65)}`, 'hex').toString('base64'),
    },
    'no signature': {},
    'denied access': failure('AccessDeniedException'),
  }
  for (const [name, answer] of Object.entries(answers)) {
    test(`the KMS signer throws an upstream error for ${name} and signs on the next attempt`, async () => {
      const signer = signerAt()
      await signer.address()
      kms.respondNext(answer)
      await expect(signer.sign(digest)).rejects.toThrow(UpstreamError)
      expect((await signer.sign(digest)).r).toMatch(/^0x[0-9a-f]{64}$/)
    })
  }
})

test('an invalid KMS public key is an upstream error and is requested again', async () => {
  const signer = signerAt()
  kms.respondNext({ PublicKey: Buffer.from('no key').toString('base64') }, {})
  await expect(signer.address()).rejects.toThrow(UpstreamError)
  await expect(signer.address()).rejects.toThrow(UpstreamError)
  expect(await signer.address()).toBe(kms.address)
})
