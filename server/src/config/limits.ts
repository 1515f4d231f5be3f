import { Type } from 'typebox'
import { defaultRateLimits, parseRateLimits, rateLimitPattern, rateLimitRequirement } from './rate-limits.ts'
import { family, group, setting } from './setting.ts'
import { parseTokenAmounts, tokenAmounts } from './stablecoins.ts'

export const limits = group('Limits', 'Limits per client and user. See "Rate limits".', {
  rateLimits: setting('RATE_LIMITS', {
    schema: Type.Array(Type.String({ pattern: rateLimitPattern.source, requirement: rateLimitRequirement })),
    default: defaultRateLimits,
    inSandbox: [],
    shownDefault: 'see "Rate limits"; none in the sandbox',
    convert: parseRateLimits,
    about: 'The maximum number of requests, per action and subject.',
  }),
  emailCodesPerHour: setting('EMAIL_CODES_PER_HOUR', {
    schema: Type.Integer({ minimum: 0, maximum: 1000 }),
    default: 5,
    inSandbox: 0,
    about:
      'The maximum number of codes per wallet and email address in an hour, in all processes. All wallets together get ten times as many for one address. `0`: no limit.',
  }),
  cardLimit: setting('CARD_LIMIT', {
    schema: Type.Integer({ minimum: 1, maximum: 1000 }),
    default: 5,
    about: 'The maximum number of live cards per user.',
  }),
  withdrawalMinimums: setting('WITHDRAWAL_MINIMUMS', {
    schema: tokenAmounts,
    default: {},
    shownDefault: "one minor unit of each token's currency; none in the sandbox",
    convert: parseTokenAmounts,
    about:
      'JSON object that maps token addresses to amounts in token units. A withdrawal must reach the amount of its token, or empty the spendable balance. `1`: in effect no minimum.',
  }),
  withdrawalCaps: family(
    '<currency>',
    { test: (text) => /^[A-Z]{3}$/.test(text), requirement: 'a configured currency' },
    {
      cap: setting('DAILY_WITHDRAWAL_CAP_<currency>', {
        schema: Type.String({ format: 'minor-units', requirement: "an integer in the currency's minor unit" }),
        shownDefault: 'none',
        convert: (digits) => BigInt(digits),
        about: 'The maximum that a user may withdraw within 24 hours, in minor units.',
      }),
    },
  ),
})
