import { createHash, createHmac, createPublicKey } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hex, hexToBytes, numberToHex } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'

/** A local key management service. It checks the signature of each request as AWS does, and signs with a real key. */
export type Kms = {
  readonly url: string
  readonly keyId: string
  readonly region: string
  readonly address: string
  /** the accepted credentials, as an AWS client reads them from its environment */
  readonly env: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string }
  /** Reasons of rejected requests. Empty if all requests were signed correctly. */
  readonly rejections: string[]
  /** Sets a callback that runs after each signature, before the response. */
  onSign(callback: () => void): void
  /** Replaces the next responses. */
  respondNext(...replies: (object | 'hang')[]): void
  stop(): Promise<void>
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const privateKey = '0x7f1d8c0c95fbd28a6bb6f8fdbbf4d8e5b1f0b5f1b2b7f2b67a8a2f7a9d1c3e55'
const keyId = '5f6b2c31-6f0e-4c8f-9a51-0b8a0b1f7d11'
const region = 'eu-central-1'
const env = { AWS_ACCESS_KEY_ID: 'AKIDPURSER', AWS_SECRET_ACCESS_KEY: 'a-secret-of-this-test-alone' }

export async function startKms(): Promise<Kms> {
  const rejections: string[] = []
  const planned: (object | 'hang')[] = []
  let signed = () => {}

  async function respondTo(operation: string, input: Record<string, string>): Promise<object> {
    if (input['KeyId'] !== keyId) return failure('NotFoundException')
    if (operation === 'TrentService.GetPublicKey') {
      return { KeyId: keyId, KeySpec: 'ECC_SECG_P256K1', KeyUsage: 'SIGN_VERIFY', PublicKey: spki().toString('base64') }
    }
    const digest = Buffer.from(input['Message'] ?? '', 'base64')
    const isSupported = input['MessageType'] === 'DIGEST' && input['SigningAlgorithm'] === 'ECDSA_SHA_256'
    if (operation !== 'TrentService.Sign' || !isSupported || digest.length !== 32) return failure('ValidationException')
    const signature = await derSignature(`0x${digest.toString('hex')}`)
    signed()
    return { KeyId: keyId, SigningAlgorithm: 'ECDSA_SHA_256', Signature: signature.toString('base64') }
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const wrong = signatureProblem(request, body)
    if (wrong !== null) rejections.push(wrong)
    const next = wrong === null ? planned.shift() : failure('IncompleteSignatureException')
    if (next === 'hang') return
    const reply = next ?? (await respondTo(String(request.headers['x-amz-target']), JSON.parse(body.toString())))
    response.writeHead('__type' in reply ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    keyId,
    region,
    address: privateKeyToAccount(privateKey).address,
    env,
    rejections,
    onSign: (callback) => {
      signed = callback
    },
    respondNext: (...replies) => planned.push(...replies),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const failure = (name: string) => ({ __type: name, message: name })

let halves = 0

/** Signs as AWS does: r and s in DER, with s in the lower and the upper half of the order in turn. */
async function derSignature(hash: Hex): Promise<Buffer> {
  const { r, s } = await sign({ hash, privateKey })
  const half = halves++ % 2 === 0 ? BigInt(s) : order - BigInt(s)
  const integers = [BigInt(r), half].map((integer) => {
    const bytes = Buffer.from(hexToBytes(numberToHex(integer)))
    const unsigned = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes
    return Buffer.concat([Buffer.of(2, unsigned.length), unsigned])
  })
  const content = Buffer.concat(integers)
  return Buffer.concat([Buffer.of(0x30, content.length), content])
}

function spki(): Buffer {
  const { publicKey } = privateKeyToAccount(privateKey)
  const part = (from: number) => Buffer.from(publicKey.slice(from, from + 64), 'hex').toString('base64url')
  const jwk = { kty: 'EC', crv: 'secp256k1', x: part(4), y: part(68) }
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' })
}

/** Checks the AWS Signature Version 4 of a request. Returns null if it is valid, else the problem. */
function signatureProblem({ headers, method, url }: IncomingMessage, body: Buffer): string | null {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, id, day = '', area = '', signedHeaders = '', signature] = given.exec(headers.authorization ?? '') ?? []
  if (id !== env.AWS_ACCESS_KEY_ID || area !== region) return `not signed for this service: ${headers.authorization}`
  const names = signedHeaders.split(';')
  for (const needed of ['host', 'x-amz-date', 'x-amz-target']) {
    if (!names.includes(needed)) return `${needed} is not signed`
  }
  const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
  const mac = (key: string | Buffer, content: string) => createHmac('sha256', key).update(content).digest()
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('')
  const canonical = [method, url, '', lines, signedHeaders, hash(body)].join('\n')
  const scope = `${day}/${area}/kms/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonical)].join('\n')
  const key = [day, area, 'kms', 'aws4_request'].reduce<string | Buffer>(mac, `AWS4${env.AWS_SECRET_ACCESS_KEY}`)
  return mac(key, text).toString('hex') === signature ? null : 'the signature is wrong'
}
