import { createPublicKey } from 'node:crypto'
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms'
import type { Address, Hex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { hexToBytes, isAddressEqual, numberToHex, recoverAddress } from 'viem/utils'
import { UpstreamError } from '../../lib/errors.ts'
import type { DigestSignature, PayoutSigner } from './payout-signer.ts'

export type AwsKms = {
  /** The id, ARN or alias of an asymmetric key (SIGN_VERIFY, ECC_SECG_P256K1). */
  readonly keyId: string
  readonly region: string
  /** Null: the default endpoint of the region. */
  readonly endpoint: string | null
}

const deadlineMilliseconds = 3_000
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Signs with a key in AWS KMS that nobody can export. Credentials come from the usual AWS sources: the environment, a
 * shared file or the machine's role. Each signature is verified against the key before its use.
 */
export function createAwsKmsSigner({ keyId, region, endpoint }: AwsKms): PayoutSigner {
  const client = new KMSClient({
    region,
    ...(endpoint === null ? {} : { endpoint }),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: deadlineMilliseconds, requestTimeout: deadlineMilliseconds },
  })
  let known: Promise<Address> | null = null

  async function readAddress(): Promise<Address> {
    const { PublicKey: der } = await callKms((abortSignal) =>
      client.send(new GetPublicKeyCommand({ KeyId: keyId }), { abortSignal }),
    )
    return addressOf(der)
  }

  function address(): Promise<Address> {
    if (known === null) {
      known = readAddress()
      known.catch(() => {
        known = null
      })
    }
    return known
  }

  return {
    address,
    async sign(digest) {
      const own = await address()
      const { Signature: der } = await callKms((abortSignal) =>
        client.send(
          new SignCommand({
            KeyId: keyId,
            Message: hexToBytes(digest),
            MessageType: 'DIGEST',
            SigningAlgorithm: 'ECDSA_SHA_256',
          }),
          { abortSignal },
        ),
      )
      return ownSignature(own, digest, readSignature(der))
    },
  }
}

async function callKms<T>(call: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await call(AbortSignal.timeout(2 * deadlineMilliseconds))
  } catch (error) {
    throw new UpstreamError('payout signer', 'unavailable', error)
  }
}

/** Returns the address of a public key in DER (SubjectPublicKeyInfo). */
function addressOf(der: Uint8Array | undefined): Address {
  try {
    const { crv, x, y } = createPublicKey({ key: Buffer.from(der ?? []), format: 'der', type: 'spki' }).export({
      format: 'jwk',
    })
    if (crv !== 'secp256k1' || !x || !y) throw new Error(`the key is on the curve ${crv}, not on secp256k1`)
    const hex = (part: string) => Buffer.from(part, 'base64url').toString('hex').padStart(64, '0')
    return publicKeyToAddress(`0x04${hex(x)}${hex(y)}`)
  } catch (error) {
    throw new UpstreamError('payout signer', 'invalid_response', error)
  }
}

/** Parses an ECDSA-Sig-Value in DER: a sequence of two integers, each shorter than 128 bytes. */
function readSignature(der: Uint8Array | undefined): { r: bigint; s: bigint } {
  const hex = Buffer.from(der ?? []).toString('hex')
  const rLength = Number.parseInt(hex.slice(6, 8), 16) * 2
  const sLength = Number.parseInt(hex.slice(10 + rLength, 12 + rLength), 16) * 2
  const [r, s] = [hex.slice(8, 8 + rLength), hex.slice(12 + rLength, 12 + rLength + sLength)]
  const tag = (at: number) => hex.slice(at, at + 2)
  const isWhole = tag(0) === '30' && tag(4) === '02' && tag(8 + rLength) === '02'
  if (!isWhole || r === '' || s === '' || hex.length !== 12 + rLength + sLength) {
    throw new UpstreamError('payout signer', 'invalid_response', new Error('the signature is not valid DER'))
  }
  return { r: BigInt(`0x${r}`), s: BigInt(`0x${s}`) }
}

/**
 * Normalizes s to the lower half and finds the parity, which KMS does not return. One parity must recover our address.
 */
async function ownSignature(own: Address, digest: Hex, { r, s }: { r: bigint; s: bigint }): Promise<DigestSignature> {
  if (r >= order || s >= order)
    throw new UpstreamError('payout signer', 'invalid_response', new Error('the signature is out of range'))
  const low = s > order / 2n ? order - s : s
  const halves = { r: numberToHex(r, { size: 32 }), s: numberToHex(low, { size: 32 }) }
  for (const yParity of [0, 1] as const) {
    const signature = { ...halves, yParity }
    const recovered = await recoverAddress({ hash: digest, signature }).catch(() => null)
    if (recovered !== null && isAddressEqual(recovered, own)) return signature
  }
  throw new UpstreamError(
    'payout signer',
    'invalid_response',
    new Error('the signature does not match the configured key'),
  )
}
