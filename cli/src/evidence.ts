import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

export type EvidenceKey = { readonly kid: string; readonly key: KeyObject }

/** Returns a public key of the service, as the operator API shows it; null: it is not one. */
export function evidenceKey(given: unknown): EvidenceKey | null {
  const { kid, publicJwk } = Object(given)
  try {
    const key = createPublicKey({ key: publicJwk, format: 'jwk' })
    return typeof kid === 'string' && key.asymmetricKeyType === 'ec' ? { kid, key } : null
  } catch {
    return null
  }
}

/**
 * Returns the problem of an evidence bundle; null: it is complete, and one of the keys signed it. See
 * docs/operators.md.
 */
export function verifyEvidence(text: string, keys: readonly EvidenceKey[]): string | null {
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  const { kid, jws } = recordOf(text.slice(end))
  const [header = '', payload = '', signature = ''] = String(jws).split('.')
  // The key in the line itself proves nothing.
  const key = keys.find((each) => each.kid === kid)
  if (key === undefined) return 'none of the keys signed it'
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    { key: key.key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return 'its signature is invalid'
  if (recordOf(decoded(header))['typ'] !== 'purser-evidence') return 'its signature is not one of evidence'
  const { sha256, records, isComplete } = recordOf(decoded(payload))
  if (createHash('sha256').update(text.slice(0, end)).digest('hex') !== sha256) return 'its lines were changed'
  if (text.trimEnd().split('\n').length !== Number(records) + 2) return 'its number of lines is wrong'
  return isComplete === true ? null : 'the period has more records than a bundle contains'
}

const decoded = (part: string) => Buffer.from(part, 'base64url').toString()

function recordOf(line: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}
