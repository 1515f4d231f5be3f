import { Type } from 'typebox'
import type { SigningKey } from '../lib/signing-key.ts'
import { encryptedUrl } from './outbound.ts'
import { choice, group, type ReportProblem, setting } from './setting.ts'
import { parseSigningKeys } from './signing-keys.ts'
import { strongKeys } from './strong-secret.ts'

/** The key that the sandbox's card processor signs with. It is public: ISSUER_KEYS must not contain it in any mode. */
const sandboxIssuerKey: SigningKey = { id: 'sandbox', secret: 'purser-sandbox-issuer-key-never-in-production' }

const signingKey = Type.String({ format: 'signing-key' })

function parseIssuerKeys(given: readonly string[], report: ReportProblem): readonly SigningKey[] {
  const keys = parseSigningKeys(given, report)
  if (keys.some(({ secret }) => secret === sandboxIssuerKey.secret)) {
    report('must not contain the public key of the sandbox.')
  }
  return keys
}

export const issuer = group('Card processor', 'See `docs/issuer-gateway.md`.', {
  issuer: choice('ISSUER', {
    about: '`http` creates cards at the processor under `ISSUER_URL`.',
    sandboxOnly: 'sandbox',
    variants: {
      sandbox: {},
      http: {
        url: setting('ISSUER_URL', {
          schema: Type.String({ format: 'public-url' }),
          convert: (url) => url.replace(/\/+$/, ''),
          inProduction: encryptedUrl,
          about: 'The URL of the card processor.',
          hint: 'Use the URL of the card processor.',
        }),
        key: setting('ISSUER_OUTBOUND_KEY', {
          schema: signingKey,
          secret: true,
          inProduction: strongKeys,
          convert: (text, report): SigningKey => parseSigningKeys([text], report)[0] ?? { id: '', secret: '' },
          about: 'The key that signs requests to the processor, as `id:secret`.',
          hint: 'Use id:secret, with a secret of at least 32 characters.',
        }),
      },
    },
  }),
  issuerKeys: setting('ISSUER_KEYS', {
    schema: Type.Array(signingKey, { minItems: 1, entry: 'key' }),
    secret: true,
    inSandbox: (): string[] => [],
    inProduction: strongKeys,
    shownDefault: 'a well-known key in the sandbox',
    convert: (given, report) => (given.length === 0 ? [sandboxIssuerKey] : parseIssuerKeys(given, report)),
    about: 'The keys that the processor signs with, as `id:secret,…`. List two while the processor changes its key.',
    hint: 'Use id:secret for each key that the card processor signs with.',
  }),
  issuerDecisionMilliseconds: setting('ISSUER_DECISION_MILLISECONDS', {
    schema: Type.Integer({ minimum: 1, maximum: 60_000 }),
    default: 1000,
    about: 'A card message to `/issuer/v1/authorizations` without a decision after this time is declined.',
  }),
  issuerAnswerMilliseconds: setting('ISSUER_ANSWER_MILLISECONDS', {
    schema: Type.Integer({ minimum: 1, maximum: 60_000 }),
    default: 1500,
    about: 'The time limit of the response to a card message at `/issuer/v1/authorizations`.',
  }),
})
