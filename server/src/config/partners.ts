import { Type } from 'typebox'
import { group, optional, setting } from './setting.ts'

/** The maximum length of the type and of the version of a document, in the setting and in requests. */
export const maxTermsLength = 100

const TermsText = Type.String({
  maxLength: maxTermsLength,
  requirement: `a text of at most ${maxTermsLength} characters`,
})

export const partners = group('Partners and terms', 'Partner domains, and the documents that users accept.', {
  partnerSignUp: setting('PARTNER_SIGN_UP', {
    schema: Type.Enum(['approval', 'open']),
    default: 'approval',
    inSandbox: 'open',
    about:
      '`approval`: a new partner has no effect until an operator approves it. `open`: a new partner is active at once.',
  }),
  sharedDomains: setting('SHARED_DOMAINS', {
    schema: Type.Enum(['on', 'off']),
    default: 'off',
    convert: (value) => value === 'on',
    about:
      "`on` lets every user sign in at the domains of every partner, and share their verification with every partner's KYC client. `off` limits both to the user's own partner.",
  }),
  domainProof: setting('DOMAIN_PROOF', {
    schema: Type.Enum(['sandbox', 'public']),
    default: 'public',
    inSandbox: 'sandbox',
    inProduction: { requirement: 'public', holds: (proof) => proof !== 'sandbox' },
    about:
      "`public` looks for a partner's domain proof in the public DNS or on the domain's https page. `sandbox` accepts every domain except those in `.invalid`.",
  }),
  terms: optional('TERMS', {
    schema: Type.Array(Type.Object({ type: TermsText, version: TermsText, url: Type.String({ format: 'url' }) })),
    neededIn: 'production',
    shownDefault: 'one document, `general`, in the sandbox',
    convert: (terms, report) => {
      if (new Set(terms.map(({ type }) => type)).size !== terms.length) report('must not contain a type twice.')
      return terms.map(({ type, version, url }) => ({ type, version, url }))
    },
    about:
      'JSON array of `{type, version, url}`: the documents that users must accept. A new version must be accepted again.',
    hint: 'Use a JSON array of {type, version, url}.',
  }),
})
