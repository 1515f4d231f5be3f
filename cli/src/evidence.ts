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

/** `incomplete`: one of the keys signed it, and the period has more records than a bundle contains. */
export type EvidenceResult = 'complete' | 'incomplete' | { readonly problem: string }

/** Checks whether an evidence bundle is authentic and complete. See docs/operators.md. */
export function verifyEvidence(text: string, keys: readonly EvidenceKey[]): EvidenceResult {
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  const { kid, jws } = recordOf(text.slice(end))
  const [header = '', payload = '', signature = ''] = String(jws).split('.')
  // The key in the line itself proves nothing.
  const key = keys.find((each) => each.kid === kid)
  if (key === undefined) return { problem: 'none of the keys signed it' }
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    { key: key.key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return { problem: 'its signature is invalid' }
  if (recordOf(decoded(header))['typ'] !== 'purser-evidence') return { problem: 'its signature is not for evidence' }
  const { sha256, records, isComplete } = recordOf(decoded(payload))
  const isUnchanged = createHash('sha256').update(text.slice(0, end)).digest('hex') === sha256
  if (!isUnchanged) return { problem: 'its lines were changed' }
  if (text.trimEnd().split('\n').length !== Number(records) + 2) return { problem: 'its number of lines is wrong' }
  return isComplete === true ? 'complete' : 'incomplete'
}

const decoded = (part: string) => Buffer.from(part, 'base64url').toString()

function recordOf(line: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}
