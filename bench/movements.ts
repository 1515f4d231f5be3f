import type pg from 'pg'
import { cardStatementItem as cardItem } from '../server/src/cards/transactions/statement-item.ts'
import { depositItem } from '../server/src/money/deposits/rules.ts'
import { withdrawalItem } from '../server/src/money/withdrawals/rules.ts'
import { statementRow } from '../server/src/statement-items/statement-items.ts'
import { numberedId } from './people.ts'

/**
 * Inserts statements in bulk. The service's own functions make the items; SQL inserts their ids and times. Of a hundred
 * items, 85 are card transactions, 10 deposits and 5 withdrawals.
 */
const anyId = '00000000-0000-7000-8000-000000000000'
const anyTime = new Date('2000-01-01T00:00:00.000Z')
const firstTime = '2024-01-01T00:00:00.000Z'

const token = { symbol: 'EURe', currency: 'EUR', decimals: 18 }
const shops = [
  { merchantName: 'Lidl sagt Danke', merchantCity: 'Berlin', mcc: '5411' },
  { merchantName: 'Café Grünwald', merchantCity: 'München', mcc: '5812' },
  { merchantName: 'Deutsche Bahn Fernverkehr', merchantCity: 'Frankfurt', mcc: '4112' },
  { merchantName: 'Netflix.com', merchantCity: null, mcc: '4899' },
  { merchantName: 'Shell 4711', merchantCity: 'Hamburg', mcc: '5541' },
]

function template(number: number): string {
  if (number % 10 === 3) {
    const deposit = {
      depositId: anyId,
      chainId: 100,
      txHash: `0x${numberedId('hash', number).replaceAll('-', '').repeat(2)}`,
      amount: BigInt(number + 1) * 10n ** 18n,
      fromAddress: '0xcB444e90D8198415266c6a2724b7900fb12FC56E',
      status: 'approved' as const,
      chainState: 'final' as const,
      returnState: null,
      createdAt: anyTime,
    }
    return statementRow(depositItem(deposit, token)).item
  }
  if (number % 20 === 7) {
    const withdrawal = {
      withdrawalId: anyId,
      chainId: 100,
      txHash: `0x${numberedId('hash', number).replaceAll('-', '').repeat(2)}`,
      amount: BigInt(number + 1) * 10n ** 17n,
      toAddress: '0x5Cb9073902F2035222B9749F8fB0c9BFe5527108',
      status: 'completed' as const,
      createdAt: anyTime,
    }
    return statementRow(withdrawalItem(withdrawal, token)).item
  }
  return statementRow(cardItem(cardTransaction(number))).item
}

function cardTransaction(number: number) {
  const shop = shops[number % shops.length] ?? { merchantName: 'Shop', merchantCity: null, mcc: '5999' }
  const isDeclined = number % 25 === 4
  const isPending = number % 25 === 8
  const status = isDeclined ? ('declined' as const) : isPending ? ('pending' as const) : ('settled' as const)
  return {
    ...shop,
    cardTransactionId: anyId,
    cardId: numberedId('card', number % 3),
    cardToken: `card-token-${number % 3}`,
    authorizationId: BigInt(number + 1) * 7_919_000_017n,
    authorizationCode: String(100_000 + number * 37),
    kind: 'Payment' as const,
    status,
    isCredit: false,
    currency: 'EUR',
    amountMinor: BigInt(number * 131 + 99),
    originalCurrency: number % 9 === 0 ? 'USD' : 'EUR',
    originalAmountMinor: BigInt(number * 131 + 99),
    merchantCountry: 'DE',
    entryMode: 'contactless' as const,
    declineCode: isDeclined ? ('810' as const) : null,
    linkedId: null,
    needsReview: false,
    createdAt: anyTime,
    updatedAt: anyTime,
    clearedAt: status === 'settled' ? anyTime : null,
  }
}

const templates = Array.from({ length: 100 }, (_, number) => template(number))

/**
 * Inserts `count` movements for each user, one a minute, in their natural order. Then analyzes all tables, as
 * autovacuum would within a minute.
 */
export async function insertMovements(client: pg.Client, userIds: readonly string[], count: number): Promise<void> {
  const chunk = 50_000
  for (let from = 1; from <= count; from += chunk) {
    await client.query(
      `insert into statement_item (user_id, created_at, item_id, item)
       select user_id, at, item_id, replace(replace(item, $1, item_id::text), $2,
         to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
       from generate_series($3::int, $4::int) n
       cross join unnest($5::uuid[]) user_id
       join unnest($6::text[]) with ordinality as template (item, number) on number = n % cardinality($6::text[]) + 1,
       lateral (select $7::timestamptz + n * interval '1 minute' as at, overlay(overlay(md5(user_id::text || n) placing '7' from 13) placing '8' from 17)::uuid as item_id) as made
       order by n`,
      [anyId, anyTime.toISOString(), from, Math.min(from + chunk - 1, count), userIds, templates, firstTime],
    )
  }
  await client.query('vacuum (analyze)')
  await client.query('checkpoint')
}
