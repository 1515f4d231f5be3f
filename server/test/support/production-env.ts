/** An address on which nothing listens. */
export const nowhere = 'http://127.0.0.1:1'

/** A production environment that lacks only `DATABASE_URL`. Its node, key store and vendors are all unreachable. */
export const productionEnv: Readonly<Record<string, string>> = {
  MODE: 'production',
  SECRET: 'a-secret-of-this-production-alone-32',
  BASE_URL: 'https://purser.test',
  PCI_URL: 'https://cards.purser.test',
  TERMS: JSON.stringify([{ type: 'general', version: '1', url: 'https://purser.test/terms' }]),
  TOKENS: tokensOn(100),
  CHAIN: 'evm',
  RPC_URL_100: nowhere,
  TREASURY_100: `0x${'fe'.repeat(20)}`,
  SIGNER: 'aws-kms',
  KMS_KEY_ID: 'alias/payouts',
  KMS_REGION: 'eu-central-1',
  KMS_ENDPOINT: nowhere,
  AWS_ACCESS_KEY_ID: 'nobody',
  AWS_SECRET_ACCESS_KEY: 'nothing',
  SCREENING: 'chainalysis',
  CHAINALYSIS_URL: nowhere,
  CHAINALYSIS_API_KEY: 'key-of-the-account',
  ISSUER: 'http',
  ISSUER_URL: nowhere,
  ISSUER_KEYS: 'them:key-of-the-processor-0123456789-abc',
  ISSUER_OUTBOUND_KEY: 'us:key-of-the-programme-0123456789-abc',
  KYC: 'sumsub',
  SUMSUB_URL: nowhere,
  SUMSUB_APP_TOKEN: 'token',
  SUMSUB_SECRET_KEY: 'secret',
  SUMSUB_WEBHOOK_SECRET: 'secret of the webhook',
  SUMSUB_LEVEL: 'basic',
  IBAN: 'none',
  MAIL_VIA: 'smtp',
  SMTP_HOST: '127.0.0.1',
  SMTP_SECURITY: 'none',
  MAIL_FROM: 'Purser <purser@purser.test>',
}

/** Returns TOKENS with one euro token on a chain. */
export function tokensOn(chainId: number): string {
  const address = '0xcB444e90D8198415266c6a2724b7900fb12FC56E'
  return JSON.stringify([{ address, symbol: 'EURe', currency: 'EUR', decimals: 18, chainId }])
}
