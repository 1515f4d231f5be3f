import { getAddress } from 'viem/utils'
import type { Ctx } from '../context.ts'
import { emailName } from '../identity/users/users.ts'
import type { Queryable } from '../platform/db/db.ts'
import { findNames, type Named } from '../platform/db/directory.ts'
import { eventIdOf, publicId } from '../webhooks/rules.ts'
import { type Lookup, lookupOf } from './rules.ts'
import {
  findBumpsByHash,
  findEventsById,
  findPartnersById,
  findPartnersByName,
  findPayoutsByHash,
  scanDueCardsByLast4,
  scanDueDepositsByHash,
  scanDueTransactionsByCode,
} from './search-sql.ts'
import { findIsUser } from './users-sql.ts'

/**
 * Finds users, cards, card transactions, deposits, payouts, events and partners by an identifier. Only whole values are
 * found, so every lookup uses an index. Most identifiers are names of the directory, and one shard holds each of them.
 */
export const hitKinds = ['user', 'card', 'cardTransaction', 'deposit', 'payout', 'event', 'partner'] as const
export const matchedNames = [
  'userId',
  'wallet',
  'depositAddress',
  'email',
  'applicantId',
  'cardId',
  'last4',
  'authorizationCode',
  'transactionHash',
  'depositId',
  'withdrawalId',
  'eventId',
  'partnerId',
  'partnerName',
] as const

/** A thing that has the searched name. */
export type SearchHit = {
  readonly kind: (typeof hitKinds)[number]
  readonly id: string
  /** Null: the thing belongs to no user. */
  readonly userId: string | null
  readonly partnerId: string | null
  readonly matched: (typeof matchedNames)[number]
}

const maxHits = 20

/** Returns the things with a name, at most 20 of each kind. */
export async function searchByName({ db }: Pick<Ctx, 'db'>, query: string): Promise<readonly SearchHit[]> {
  const lookup = lookupOf(query)
  return lookup === null ? [] : find(db, lookup)
}

async function find(db: Queryable, lookup: Lookup): Promise<readonly SearchHit[]> {
  switch (lookup.by) {
    case 'id': {
      const { id } = lookup
      const named = await findNames(db, [`card:${id}`, `deposit_id:${id}`, `withdrawal_id:${id}`, `applicant:${id}`])
      // No two things have the same id.
      if (named.length > 0) return named.flatMap(hitOf)
      const [isUser, partners] = await Promise.all([findIsUser(db, id), findPartnersById(db, id)])
      return [
        ...(isUser ? [userHit(id, 'userId')] : []),
        ...partners.map(({ partnerId }) => partnerHit(partnerId, 'partnerId')),
      ]
    }
    case 'wallet': {
      const address = getAddress(lookup.address)
      return (await findNames(db, [`wallet:${address}`, `account:${address.toLowerCase()}`])).flatMap(hitOf)
    }
    case 'email':
      return (await findNames(db, [emailName(lookup.email)])).flatMap(hitOf)
    case 'event':
      return (await findEventsById(db, eventIdOf(lookup.eventId))).map(({ eventId, userId, partnerId }) => ({
        ...{ kind: 'event', id: publicId(eventId), userId, partnerId, matched: 'eventId' },
      }))
    case 'transaction': {
      const [deposits, payouts, bumps] = await Promise.all([
        scanDueDepositsByHash(db, lookup.hash, maxHits),
        findPayoutsByHash(db, lookup.hash),
        findBumpsByHash(db, lookup.hash),
      ])
      return [
        ...deposits.map((hit) => ({ ...hit, kind: 'deposit' as const, ...byHash })),
        ...[...payouts, ...bumps].map((hit) => ({ ...hit, kind: 'payout' as const, ...byHash })),
      ]
    }
    case 'card':
      return (await scanDueCardsByLast4(db, lookup, maxHits)).map((hit) => ({
        ...{ ...hit, kind: 'card', partnerId: null, matched: 'last4' },
      }))
    case 'text': {
      const [transactions, named, partners] = await Promise.all([
        scanDueTransactionsByCode(db, lookup.text, maxHits),
        findNames(db, [`applicant:${lookup.text}`]),
        findPartnersByName(db, lookup.text, maxHits),
      ])
      return [
        ...transactions.map((hit) => ({
          ...{ ...hit, kind: 'cardTransaction' as const, partnerId: null, matched: 'authorizationCode' as const },
        })),
        ...named.flatMap(hitOf),
        ...partners.map(({ partnerId }) => partnerHit(partnerId, 'partnerName')),
      ]
    }
  }
}

const byHash = { partnerId: null, matched: 'transactionHash' } as const

const userHit = (userId: string, matched: SearchHit['matched']): SearchHit => ({
  ...{ kind: 'user', id: userId, userId, partnerId: null, matched },
})

const partnerHit = (partnerId: string, matched: SearchHit['matched']): SearchHit => ({
  ...{ kind: 'partner', id: partnerId, userId: null, partnerId, matched },
})

/** Returns the thing that a name of the directory belongs to. */
function hitOf({ name, userId, refId }: Named): SearchHit[] {
  const of = (kind: SearchHit['kind'], matched: SearchHit['matched']): SearchHit[] =>
    refId === null ? [] : [{ kind, id: refId, userId, partnerId: null, matched }]
  switch (name.split(':', 1)[0]) {
    case 'wallet':
      return [userHit(userId, 'wallet')]
    case 'account':
      return [userHit(userId, 'depositAddress')]
    case 'email':
      return [userHit(userId, 'email')]
    case 'applicant':
      return [userHit(userId, 'applicantId')]
    case 'card':
      return of('card', 'cardId')
    case 'deposit_id':
      return of('deposit', 'depositId')
    case 'withdrawal_id':
      return of('payout', 'withdrawalId')
    default:
      return []
  }
}
