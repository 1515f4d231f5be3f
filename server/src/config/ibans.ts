import { Type } from 'typebox'
import { encryptedUrl } from './outbound.ts'
import { choice, group, optional, setting, type VariantValues } from './setting.ts'

/** Members of the European Economic Area, ISO 3166 alpha-2. */
const eeaCountries = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IS IE IT LV LI LT LU MT NL NO PL PT RO SK SI ES SE'

export const ibans = group('IBANs', 'See "IBANs".', {
  iban: choice('IBAN', {
    about: '`monerium` issues IBANs at Monerium. With `none`, no user is eligible for one.',
    sandboxOnly: 'sandbox',
    variants: {
      sandbox: {},
      monerium: {
        url: setting('MONERIUM_URL', {
          schema: Type.String({ format: 'public-url' }),
          default: 'https://api.monerium.app',
          convert: (url) => url.replace(/\/+$/, ''),
          inProduction: encryptedUrl,
          about: 'The URL of the Monerium API.',
        }),
        clientId: setting('MONERIUM_CLIENT_ID', {
          schema: Type.String(),
          about: 'The client id of your Monerium application.',
          hint: 'Use the client id of your Monerium application.',
        }),
        clientSecret: setting('MONERIUM_CLIENT_SECRET', {
          schema: Type.String(),
          secret: true,
          about: 'The client secret of your Monerium application.',
          hint: 'Use the client secret of your Monerium application.',
        }),
        chain: setting('MONERIUM_CHAIN', {
          schema: Type.Enum(['ethereum', 'gnosis', 'polygon', 'arbitrum', 'base', 'linea', 'scroll']),
          default: 'gnosis',
          about: 'The chain that euros are minted on.',
        }),
        /** Null: applicants are described by their data instead of shared. */
        sumsubClientId: optional('MONERIUM_SUMSUB_CLIENT_ID', {
          schema: Type.String(),
          about: "Monerium's client id at Sumsub. Purser shares verified applicants with it.",
        }),
      },
      none: {},
    },
  }),
  ibanCountries: setting('IBAN_COUNTRIES', {
    schema: Type.Array(Type.String({ format: 'country' })),
    default: eeaCountries.split(' '),
    shownDefault: 'the EEA',
    about: 'Countries of residence and nationality that are eligible for an IBAN.',
  }),
})

export type MoneriumConfig = VariantValues<typeof ibans.specs.iban, 'monerium'>
