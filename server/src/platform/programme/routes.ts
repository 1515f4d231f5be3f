import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { minorDigits } from '../../lib/money.ts'
import { Address, Amount, Int32, nullable, oneOf } from '../http/schemas.ts'

const Text = Type.String()
const Minor = nullable(Amount)

const ProgrammeRecord = Type.Object(
  {
    name: Text,
    logoUrl: nullable(Text),
    mode: oneOf(['sandbox', 'production']),
    chains: Type.Array(
      Type.Object({
        chainId: Int32,
        explorerUrl: nullable(
          Type.String({
            description: 'Append `/tx/<hash>` or `/address/<address>`.',
            examples: ['https://gnosisscan.io'],
          }),
        ),
        finalityBlocks: nullable(
          Type.Unsafe<number>({
            ...Int32,
            description:
              'The number of later blocks that make a block final; null: the chain reports its final blocks.',
          }),
        ),
      }),
    ),
    tokens: Type.Array(
      Type.Object({
        address: Address,
        symbol: Text,
        currency: Text,
        decimals: Int32,
        chainId: Int32,
        withdrawalMinimum: Amount,
      }),
      { description: 'The tokens that users can deposit. Cards draw from them in this order.' },
    ),
    currencies: Type.Array(Type.Object({ currency: Text, decimals: Int32 }), {
      description: 'The rows of the balances.',
    }),
    limits: Type.Object({
      cards: Type.Unsafe<number>({ ...Int32, description: 'The maximum number of live cards per user.' }),
      currencies: Type.Array(
        Type.Object({
          currency: Text,
          decimals: Int32,
          perTransaction: Minor,
          dailyCards: Minor,
          dailyWithdrawals: Minor,
        }),
        { description: 'Per user, in minor units of the currency. null: no limit.' },
      ),
    }),
    features: Type.Object({
      ibans: Type.Boolean(),
      ibanCountries: Type.Array(Text, { description: 'ISO 3166 codes of the countries whose users may have an IBAN.' }),
      partnerSignUp: oneOf(['approval', 'open']),
      sharedDomains: Type.Boolean(),
    }),
  },
  { title: 'Programme' },
)

/** Serves the facts about the programme that an app needs before anybody signs in. They change only with a restart. */
export function programmeRoutes(app: FastifyInstance, { config }: Ctx): void {
  const body = programmeRecord(config)
  app.get(
    '/programme',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Programme'],
        summary: 'Get the tokens, chains, limits and features of the programme',
        description: 'Responses can be cached for 5 minutes.',
        operationId: 'programme.get',
        response: { 200: ProgrammeRecord },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300')
      return body
    },
  )
}

function programmeRecord(config: Config): Static<typeof ProgrammeRecord> {
  const { tokens, cardLimits, dailyWithdrawalCaps } = config
  const textOf = (amount: bigint | undefined) => (amount === undefined ? null : String(amount))
  const chainIds = [...new Set(tokens.map(({ chainId }) => chainId))]
  return {
    name: config.programmeName,
    logoUrl: config.programmeLogoUrl,
    mode: config.mode,
    chains: chainIds.map((chainId) => {
      // A chain without nodes is simulated, and its blocks are final at once.
      const { explorer, finality } = config.chains.find((chain) => chain.chainId === chainId) ?? simulatedChain
      return { chainId, explorerUrl: explorer, finalityBlocks: finality === 'finalized' ? null : finality }
    }),
    tokens: tokens.map(({ address, symbol, currency, decimals, chainId }) => ({
      ...{ address, symbol, currency, decimals, chainId },
      withdrawalMinimum: String(config.withdrawalMinimums[address] ?? 0n),
    })),
    currencies: config.currencies.map(({ currency, decimals }) => ({ currency, decimals })),
    limits: {
      cards: config.cardLimit,
      currencies: [...new Set(tokens.map(({ currency }) => currency))].map((currency) => ({
        currency,
        decimals: minorDigits(currency),
        perTransaction: textOf(cardLimits.perTransaction[currency]),
        dailyCards: textOf(cardLimits.daily[currency]),
        dailyWithdrawals: textOf(dailyWithdrawalCaps[currency]),
      })),
    },
    features: {
      ibans: config.iban.kind !== 'none',
      ibanCountries: [...config.ibanCountries],
      partnerSignUp: config.partnerSignUp,
      sharedDomains: config.sharedDomains,
    },
  }
}

const simulatedChain = { explorer: null, finality: 0 } as const
