import type pg from 'pg'
import type { Config } from '../server/src/config/config.ts'
import { createDatabase, migrate } from '../server/src/platform/db/migrate.ts'
import { withClient } from './database.ts'
import type { Connection } from './load.ts'

export const cardToken = (number: number) => `tok_${number}`

const since = '2025-01-01T00:00:00.000Z'

/**
 * Inserts users with one card and more money than a benchmark can spend, as the rows that the service would write. They
 * are numbered from 1, and `bench_card` finds one by its number. Ids begin with a time, as those of the service do.
 */
export async function insertCardUsers(client: pg.Client, users: number, config: Config): Promise<void> {
  const [token] = config.tokens
  if (!token) throw new Error('the configuration has no token')
  await client.query(`
    create function bench_id_at(at timestamptz, seed text) returns uuid language sql stable as $$
      select overlay(overlay(overlay(md5(seed) placing '7' from 13) placing '8' from 17)
        placing lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') from 1)::uuid $$;
    create function bench_id() returns uuid language sql volatile as $$
      select bench_id_at(clock_timestamp(), gen_random_uuid()::text) $$;
    create function bench_key(name text) returns uuid language sql immutable as $$
      select left(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 32)::uuid $$;
    create table bench_card as
      select n, bench_id_at(at, 'user ' || n) as user_id, bench_id_at(at, 'card ' || n) as card_id, 'tok_' || n as card_token
      from generate_series(1, ${users}) n, lateral (select timestamptz '${since}' + n * interval '1 ms' as at) as made;
    alter table bench_card add primary key (n);
    insert into app_user (user_id, status, country, kyc_status, created_at, updated_at)
      select user_id, 'active', 'DE', 'approved', '${since}', '${since}' from bench_card;
    insert into account (user_id, account_id, address, currency, status, created_at, updated_at)
      select user_id, user_id, '0x' || lpad(to_hex(n), 40, '0'), 'EUR', 'active', '${since}', '${since}' from bench_card;
    insert into card (user_id, card_id, name, type, status, currency, card_token, last4, expiry_month, expiry_year, created_at, updated_at)
      select user_id, card_id, 'Everyday', 'virtual', 'active', 'EUR', card_token, '4242', 12, 2030, '${since}', '${since}' from bench_card;
    insert into directory (lookup_key, user_id, ref_id)
      select bench_key(name), user_id, card_id
      from bench_card, lateral (values ('card:' || card_id), ('card_token:' || card_token)) as names (name);
    insert into ledger_balance (user_id, token, available, chain)
      select user_id, '${token.address}', 10::numeric ^ 30, -(10::numeric ^ 30) from bench_card;
  `)
}

/**
 * Inserts a history with the given number of postings: authorized and cleared payments, spread evenly over the users,
 * or over the first ones. Every table to which an authorization of these users adds rows grows with the history. In
 * each minute, each of these users pays once. The rows of a minute are in the random order of the payments' ids.
 */
export async function insertCardHistory(
  client: pg.Client,
  postings: number,
  config: Config,
  firstUsers?: number,
): Promise<void> {
  const [token] = config.tokens
  const { rows } = await client.query('select count(*)::int as users from bench_card')
  const users = firstUsers ?? rows[0].users
  const payments = Math.ceil(postings / 2 / users)
  const chunk = 20
  for (let from = 1; from <= payments; from += chunk) {
    await client.query(`
      create temp table payment on commit drop as
        select user_id, card_id, p, bench_id_at(at, 'payment ' || n || '/' || p) as id,
          upper(left(md5('code ' || n || '/' || p), 6)) as code, at
        from bench_card cross join generate_series(${from}, ${Math.min(from + chunk - 1, payments)}) p,
          lateral (select timestamptz '${since}' + p * interval '1 minute' as at) as made
        where n <= ${users}
        order by id;
      insert into card_transaction (user_id, card_transaction_id, card_id, card_token, authorization_id, authorization_code,
          kind, status, is_credit, currency, amount_minor, original_currency, original_amount_minor, merchant_name,
          merchant_country, mcc, entry_mode, needs_review, created_at, updated_at, cleared_at)
        select user_id, id, card_id, 'tok', p, code, 'Payment', 'settled', false, 'EUR', 100, 'EUR', 100, 'Corner Shop',
          'DE', '5999', 'chip', false, at, at, at from payment;
      insert into card_transaction_part (user_id, card_transaction_id, token, held, settled)
        select user_id, id, '${token?.address}', 0, 1e18 from payment;
      insert into card_message (user_id, card_message_id, source, event_id, body_hash, card_id, card_transaction_id,
          authorization_code, authorization_id, type, amount_minor, is_final, outcome, created_at)
        select user_id, bench_id_at(at, type || id), 'issuer', type || id, left(md5(id::text) || md5(type), 43), card_id, id, code, p,
          type, 100, true, 'approved', at
        from payment cross join (values ('authorization'), ('clearing')) as said (type);
      insert into movement (user_id, seq, kind, ref_id, created_at)
        select user_id, 2 * p + half, 'card_authorization', id, at from payment cross join (values (-1), (0)) as halves (half);
      insert into posting (user_id, movement_seq, line, token, from_account, to_account, amount)
        select user_id, 2 * p + half, 1, '${token?.address}', 'available', 'held', 1e18
        from payment cross join (values (-1), (0)) as halves (half);
      insert into statement_item (user_id, created_at, item_id, item)
        select user_id, at, id, repeat('x', 1000) from payment;
    `)
  }
  // Autovacuum would otherwise process the bulk load during the measurement.
  await client.query('vacuum (analyze)')
  await client.query('checkpoint')
}

/** Creates a database with such users and their history. */
export async function createCardDatabase(
  connection: Connection,
  config: Config,
  { users, postings }: { readonly users: number; readonly postings: number },
): Promise<void> {
  await createDatabase(connection)
  await migrate(connection)
  await withClient(connection, async (client) => {
    await insertCardUsers(client, users, config)
    await insertCardHistory(client, postings, config)
  })
}
