import { Type } from 'typebox'
import { encryptedUrl } from './outbound.ts'
import { choice, group, setting, type VariantValues } from './setting.ts'

export const kyc = group('Identity verification', 'See "Identity verification".', {
  kyc: choice('KYC', {
    about: '`sumsub` verifies people at Sumsub.',
    sandboxOnly: 'sandbox',
    variants: {
      sandbox: {},
      sumsub: {
        url: setting('SUMSUB_URL', {
          schema: Type.String({ format: 'public-url' }),
          default: 'https://api.sumsub.com',
          convert: (url) => url.replace(/\/+$/, ''),
          inProduction: encryptedUrl,
          about: 'The URL of the Sumsub API.',
        }),
        appToken: setting('SUMSUB_APP_TOKEN', {
          schema: Type.String(),
          secret: true,
          about: 'The app token of your Sumsub account.',
          hint: 'Use an app token of your Sumsub account.',
        }),
        secretKey: setting('SUMSUB_SECRET_KEY', {
          schema: Type.String(),
          secret: true,
          about: 'The secret key of the app token.',
          hint: 'Use the secret key of the app token.',
        }),
        webhookSecret: setting('SUMSUB_WEBHOOK_SECRET', {
          schema: Type.String(),
          secret: true,
          about: 'The secret key of the webhook.',
          hint: 'Use the secret key of the webhook.',
        }),
        level: setting('SUMSUB_LEVEL', {
          schema: Type.String(),
          about: 'The name of the verification level. The level must include the address.',
          hint: 'Use the name of your verification level.',
        }),
      },
    },
  }),
  kycClients: setting('KYC_CLIENTS', {
    schema: Type.Array(Type.String()),
    default: [],
    inSandbox: ['partner.example_1'],
    about: 'The KYC clients of the programme, with which users may share their identity verification.',
  }),
})

export type SumsubConfig = VariantValues<typeof kyc.specs.kyc, 'sumsub'>
