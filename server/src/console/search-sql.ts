import type { Queryable } from '../platform/db/db.ts'

/**
 * Each query uses an index. `server/test/flows/operator-plans.test.ts` checks the plans.
 */

export type PartnerHit = { readonly partnerId: string }

export function findPartnersById(db: Queryable, partnerId: string): Promise<PartnerHit[]> {
  return db.query<PartnerHit>('select partner_id as "partnerId" from partner where partner_id = $1', [partnerId])
}

export function findPartnersByName(db: Queryable, name: string, limit: number): Promise<PartnerHit[]> {
  return db.query<PartnerHit>('select partner_id as "partnerId" from partner where lower(name) = lower($1) limit $2', [
    name,
    limit,
  ])
}

export type EventHit = { readonly partnerId: string; readonly userId: string | null; readonly eventId: string }

export function findEventsById(db: Queryable, eventId: string): Promise<EventHit[]> {
  return db.query<EventHit>(
    `select partner_id as "partnerId", about_user as "userId", event_id as "eventId" from partner_event
     where event_id = $1`,
    [eventId],
  )
}

export type UserHit = { readonly userId: string; readonly id: string }

/** Finds cards by the last digits and the expiry. Many cards share them, so the newest ones are returned. */
export function scanDueCardsByLast4(
  db: Queryable,
  { last4, month, year }: { readonly last4: string; readonly month: number; readonly year: number },
  limit: number,
): Promise<UserHit[]> {
  return db.query<UserHit>(
    `-- scanDueCardsByLast4
     select user_id as "userId", card_id as id from card
     where last4 = $1 and expiry_year = $2 and expiry_month = $3
     order by card_id desc limit $4`,
    [last4, year, month, limit],
  )
}

export function scanDueTransactionsByCode(db: Queryable, code: string, limit: number): Promise<UserHit[]> {
  return db.query<UserHit>(
    `-- scanDueTransactionsByCode
     select distinct user_id as "userId", card_transaction_id as id from card_message
     where authorization_code = $1 and card_transaction_id is not null limit $2`,
    [code, limit],
  )
}

export function scanDueDepositsByHash(db: Queryable, hash: string, limit: number): Promise<UserHit[]> {
  return db.query<UserHit>(
    `-- scanDueDepositsByHash
     select user_id as "userId", deposit_id as id from deposit where tx_hash = $1 limit $2`,
    [hash, limit],
  )
}

export type PayoutHit = { readonly userId: string | null; readonly id: string }

export function findPayoutsByHash(db: Queryable, hash: string): Promise<PayoutHit[]> {
  return db.query<PayoutHit>(
    'select user_id as "userId", withdrawal_id as id from payout_transaction where tx_hash = $1',
    [hash],
  )
}

/** A fee bump has a hash of its own. Its payout has the same nonce. */
export function findBumpsByHash(db: Queryable, hash: string): Promise<PayoutHit[]> {
  return db.query<PayoutHit>(
    `select p.user_id as "userId", p.withdrawal_id as id from payout_fee_bump b
       join payout_transaction p on p.chain_id = b.chain_id and p.signer = b.signer and p.nonce = b.nonce
     where b.tx_hash = $1`,
    [hash],
  )
}
