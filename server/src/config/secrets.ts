import { Type } from 'typebox'
import type { Secrets } from '../lib/secrets.ts'
import { group, optional, setting } from './setting.ts'
import { isStrong, strongSecret } from './strong-secret.ts'

/** The master secret of a sandbox. It is public: production rejects it. */
const sandboxSecret = 'purser-sandbox-secret-never-use-in-production'

/** The number is small, because a forged value is checked with every secret. */
const maxSecrets = 3

/** The default password of the simulator. It is public: a sandbox that other machines can reach rejects it. */
export const sandboxPassword = 'sandbox'

export const secrets = group('Sign-in and secrets', 'The keys of the service and its access tokens.', {
  /** The keys of nonces, cursors, seals and stored keys are derived from it. docs/secrets.md lists them. */
  secrets: setting('SECRET', {
    schema: Type.Array(Type.String({ minLength: 32 }), { minItems: 1, entry: 'secret' }),
    secret: true,
    inSandbox: [sandboxSecret],
    shownDefault: 'a public value in the sandbox',
    inProduction: {
      requirement: strongSecret.requirement,
      holds: (secrets: Secrets) => secrets.every((secret) => secret !== sandboxSecret && isStrong(secret)),
    },
    convert: ([first = '', ...older], report): Secrets => {
      if (older.length >= maxSecrets) report(`must not list more than ${maxSecrets} secrets.`)
      if (new Set([first, ...older]).size <= older.length) report('must not list a secret twice.')
      return [first, ...older]
    },
    about:
      'The master secret, at least 32 characters without commas. It is the same for all processes. A rotation lists two, as `new,old`. See `docs/secrets.md`.',
    hint: 'Use 32 or more random characters.',
  }),
  tokenIssuer: optional('TOKEN_ISSUER', {
    schema: Type.String(),
    shownDefault: '`API_URL`',
    about: 'The `iss` claim of access tokens.',
  }),
  tokenAudience: optional('TOKEN_AUDIENCE', {
    schema: Type.String(),
    shownDefault: '`BASE_URL`',
    about: 'The `aud` claim of access tokens.',
  }),
  sandboxPassword: setting('SANDBOX_PASSWORD', {
    schema: Type.String(),
    secret: true,
    default: sandboxPassword,
    inProduction: 'unset',
    shownDefault: '`sandbox`',
    about: 'The password of the user `simulator`. Sandbox only. Set your own if other machines can reach the sandbox.',
  }),
})
