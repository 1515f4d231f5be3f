const string = { type: 'string' }
const integer = { type: 'integer' }
const boolean = { type: 'boolean' }
const nullable = { type: ['string', 'null'] }

const object = (properties) => ({ type: 'object', properties })
const orNull = (schema) => ({ ...schema, nullable: true })

const movement = {
  id: string,
  status: string,
  amount: string,
  currency: string,
  decimals: integer,
  isCredit: boolean,
  createdAt: string,
  description: string,
}
const chainMovement = { ...movement, fiatCurrency: string, txHash: nullable, chainId: integer }
const currency = object({ symbol: nullable, code: string, decimals: integer, name: nullable })

const card = {
  type: { const: 'card_transaction' },
  ...movement,
  originalAmount: string,
  originalCurrency: string,
  originalDecimals: integer,
  updatedAt: string,
  authorizationId: integer,
  mcc: string,
  authorizationCode: string,
  merchant: object({ name: string, city: nullable, country: string, categoryCode: string }),
  entryMode: string,
  billing: object({ billingAmount: string, billingCurrency: currency }),
  transactionCurrency: currency,
  cardId: string,
  cardToken: nullable,
  clearedAt: nullable,
  isPending: boolean,
  kind: string,
  transactions: {
    type: 'array',
    items: object({ status: nullable, to: nullable, value: nullable, data: nullable, hash: nullable }),
  },
  declineReason: orNull(object({ code: string, message: string })),
  wallet: orNull(object({ provider: string })),
}

/** Selects the branch by the discriminator alone, which is the cheapest union for fast-json-stringify. */
const item = {
  type: 'object',
  if: { type: 'object', properties: { type: { const: 'card_transaction' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema
  then: object(card),
  else: {
    type: 'object',
    if: { type: 'object', properties: { type: { const: 'deposit' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema
    then: object({ type: string, ...chainMovement, fromAddress: string }),
    else: object({ type: string, ...chainMovement, toAddress: string }),
  },
}

export const pageSchema = object({
  data: { type: 'array', items: item },
  pagination: object({ nextCursor: nullable, hasNext: boolean }),
})
