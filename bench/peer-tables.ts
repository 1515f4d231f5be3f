import type pg from 'pg'

const movementColumns = `
  user_id uuid not null, id uuid not null, created_at timestamptz not null, status text not null,
  amount numeric(78,0) not null, currency text not null, decimals integer not null, is_credit boolean not null,
  description text not null`
const chainColumns = `${movementColumns}, fiat_currency text not null, tx_hash text, chain_id integer not null`

const tables = {
  peer_deposit: { type: 'deposit', columns: `${chainColumns}, from_address text not null` },
  peer_withdrawal: { type: 'withdrawal', columns: `${chainColumns}, to_address text not null` },
  peer_card_transaction: {
    type: 'card_transaction',
    columns: `${movementColumns},
      updated_at timestamptz not null, original_amount numeric(78,0) not null, original_currency text not null,
      original_decimals integer not null, authorization_id bigint not null, authorization_code text not null,
      mcc text not null, merchant_name text not null, merchant_city text, merchant_country text not null,
      entry_mode text not null, card_id uuid not null, card_token text, cleared_at timestamptz, kind text not null,
      decline_code text, decline_message text`,
  },
}

/** The SQL expressions of those columns whose field in an item is not the column's name in camel case. */
const nested: Readonly<Record<string, string>> = {
  merchant_name: "item #>> '{merchant,name}'",
  merchant_city: "item #>> '{merchant,city}'",
  merchant_country: "item #>> '{merchant,country}'",
  decline_code: "item #>> '{declineReason,code}'",
  decline_message: "item #>> '{declineReason,message}'",
  user_id: 'user_id::text',
}

/**
 * Fills the three typed tables of the peers from the statement items, so that all serve the same movements. Creates a
 * view of the three for peers that cannot write a UNION ALL.
 */
export async function insertPeerTables(client: pg.Client): Promise<void> {
  for (const [table, { type, columns }] of Object.entries(tables)) {
    await client.query(`create table ${table} (${columns}, primary key (user_id, created_at, id))`)
    const typed = typedColumns(columns)
    const values = typed.map(([name, sqlType]) => `(${nested[name] ?? `item ->> '${camelCase(name)}'`})::${sqlType}`)
    await client.query(
      `insert into ${table} (${typed.map(([name]) => name).join(', ')})
       select ${values.join(', ')} from (select user_id, created_at as at, item::jsonb as item from statement_item) items
       where item ->> 'type' = '${type}' order by at`,
    )
    await client.query(`vacuum (analyze) ${table}`)
  }
  const all = new Map(Object.values(tables).flatMap(({ columns }) => typedColumns(columns)))
  const branches = Object.entries(tables).map(([table, { type, columns }]) => {
    const own = new Map(typedColumns(columns))
    const values = [...all].map(([name, sqlType]) => (own.has(name) ? name : `null::${sqlType} as ${name}`))
    return `select '${type}' as type, ${values.join(', ')} from ${table}`
  })
  await client.query(`create view peer_movement as ${branches.join(' union all ')}`)
}

function typedColumns(columns: string): [name: string, sqlType: string][] {
  const matches = columns.matchAll(/([a-z_]+) (uuid|timestamptz|text|numeric|integer|bigint|boolean)/g)
  return [...matches].map(([, name = '', sqlType = '']) => [name, sqlType])
}

function camelCase(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}
