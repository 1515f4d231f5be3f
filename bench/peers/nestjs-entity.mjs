import { EntitySchema } from 'typeorm'

/** The view of the three typed tables. `bench/peer-tables.ts` creates it. */
const text = { type: 'text' }
const uuid = { type: 'uuid' }
const time = { type: 'timestamptz' }
const integer = { type: 'integer' }
const properties = {
  userId: uuid,
  createdAt: time,
  type: text,
  status: text,
  amount: { type: 'numeric' },
  currency: text,
  decimals: integer,
  isCredit: { type: 'boolean' },
  description: text,
  fiatCurrency: text,
  txHash: text,
  chainId: integer,
  fromAddress: text,
  toAddress: text,
  updatedAt: time,
  originalAmount: { type: 'numeric' },
  originalCurrency: text,
  originalDecimals: integer,
  authorizationId: { type: 'bigint', transformer: { from: (value) => value && Number(value), to: String } },
  authorizationCode: text,
  mcc: text,
  merchantName: text,
  merchantCity: text,
  merchantCountry: text,
  entryMode: text,
  cardId: uuid,
  cardToken: text,
  clearedAt: time,
  kind: text,
  declineCode: text,
  declineMessage: text,
}
const column = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const Movement = new EntitySchema({
  name: 'Movement',
  tableName: 'peer_movement',
  type: 'view',
  columns: {
    id: { type: 'uuid', primary: true },
    ...Object.fromEntries(
      Object.entries(properties).map(([name, options]) => [name, { ...options, name: column(name) }]),
    ),
  },
})
