import { Type } from 'typebox'
import { getAddress } from 'viem/utils'
import { encryptedUrl } from './outbound.ts'
import type { ScreeningRules } from './screening-rules.ts'
import { choice, group, setting, type VariantValues } from './setting.ts'
import { parseSigningKeys } from './signing-keys.ts'
import { strongKeys } from './strong-secret.ts'

export const alertLevels = ['LOW', 'MEDIUM', 'HIGH', 'SEVERE'] as const
export type AlertLevel = (typeof alertLevels)[number]

const defaultNetworks = {
  1: 'Ethereum',
  10: 'Optimism',
  56: 'Binance Smart Chain',
  100: 'Gnosis',
  137: 'Polygon',
  8453: 'Base',
  42161: 'Arbitrum',
  43114: 'Avalanche',
}

const senders = Type.Optional(Type.Array(Type.String({ format: 'address' })))
const thresholds = Type.Optional(
  Type.Record(Type.String(), Type.String({ format: 'minor-units' }), { propertyNames: { format: 'currency' } }),
)

export const screening = group('Screening', 'See "Screening".', {
  screening: choice('SCREENING', {
    about: '`chainalysis` screens deposits at Chainalysis.',
    sandboxOnly: 'sandbox',
    variants: {
      sandbox: {},
      chainalysis: {
        url: setting('CHAINALYSIS_URL', {
          schema: Type.String({ format: 'public-url' }),
          default: 'https://api.chainalysis.com/api/kyt',
          convert: (url) => url.replace(/\/+$/, ''),
          inProduction: encryptedUrl,
          about: 'The URL of the Chainalysis API.',
        }),
        apiKey: setting('CHAINALYSIS_API_KEY', {
          schema: Type.String(),
          secret: true,
          about: 'The API key of your Chainalysis account.',
          hint: 'Use the API key of your Chainalysis account.',
        }),
        refusedFrom: setting('CHAINALYSIS_REFUSED_FROM', {
          schema: Type.Enum([...alertLevels]),
          default: 'HIGH',
          about: 'The lowest alert level at which a deposit is refused.',
        }),
        networks: setting('CHAINALYSIS_NETWORKS', {
          schema: Type.Record(Type.String(), Type.String({ minLength: 1 }), {
            propertyNames: { pattern: '^[1-9][0-9]{0,14}$', requirement: 'a chain id' },
          }),
          default: {},
          shownDefault: 'eight well-known chains',
          convert: (given): Readonly<Record<number, string>> => ({ ...defaultNetworks, ...given }),
          about: "JSON object that maps further chain ids to Chainalysis' names of the chains.",
        }),
      },
    },
  }),
  screeningKeys: setting('SCREENING_KEYS', {
    schema: Type.Array(Type.String({ format: 'signing-key' })),
    secret: true,
    default: (): string[] => [],
    inProduction: strongKeys,
    shownDefault: 'none',
    convert: parseSigningKeys,
    about: 'The keys that sign screening results, as `id:secret,…`. See `docs/callbacks.md`.',
  }),
  screeningRules: setting('SCREENING_RULES', {
    schema: Type.Object(
      {
        refusedSenders: senders,
        reviewedSenders: senders,
        refusedFrom: thresholds,
        reviewedFrom: thresholds,
      },
      { additionalProperties: false },
    ),
    default: {},
    shownDefault: 'none',
    convert: ({ refusedSenders, reviewedSenders, refusedFrom, reviewedFrom }): ScreeningRules => ({
      refusedSenders: addresses(refusedSenders),
      reviewedSenders: addresses(reviewedSenders),
      refusedFrom: amounts(refusedFrom),
      reviewedFrom: amounts(reviewedFrom),
    }),
    about: "JSON object: the rules of the sandbox's screening.",
  }),
})

export type ChainalysisConfig = VariantValues<typeof screening.specs.screening, 'chainalysis'>

function addresses(given: readonly string[] = []): readonly string[] {
  return given.map((address) => getAddress(address))
}

function amounts(given: Readonly<Record<string, string>> = {}): Readonly<Record<string, bigint>> {
  return Object.fromEntries(Object.entries(given).map(([currency, amount]) => [currency, BigInt(amount)]))
}
