// pure
import {
  depositApproved,
  depositLost,
  depositOverturned,
  depositRecovered,
  depositRefused,
  depositRefusedLate,
  depositReorganized,
  depositReturned,
  depositSeen,
  type Movement,
} from '../../ledger/movements.ts'
import type { Balances } from '../../ledger/rules.ts'
import type { Place } from './rules.ts'

type Asset = { readonly token: string; readonly amount: bigint }
type Moved = Pick<Movement, 'kind' | 'postings'>
type MovementOf = (asset: Asset, balances: Balances) => Moved

const seen: MovementOf = ({ token, amount }) => ({ kind: 'deposit_seen', postings: depositSeen(token, amount) })

const reorganized: MovementOf = ({ token, amount }) => ({
  kind: 'deposit_reorganized',
  postings: depositReorganized(token, amount),
})

const lost =
  (was: 'approved' | 'frozen' | 'returned'): MovementOf =>
  ({ token, amount }, balances) => ({ kind: 'deposit_lost', postings: depositLost(balances, token, amount, was) })

/** The movements of a deposit, by the places that its funds leave and enter. A missing pair cannot occur. */
const movements: Readonly<Partial<Record<`${Place} → ${Place}`, MovementOf>>> = {
  'outside → processing': seen,
  'lost → recovering': seen,
  'processing → outside': reorganized,
  'recovering → lost': reorganized,
  'processing → credited': ({ token, amount }, balances) => ({
    kind: 'deposit_approved',
    postings: depositApproved(balances, token, amount),
  }),
  'processing → frozen': ({ token, amount }) => ({
    kind: 'deposit_refused',
    postings: depositRefused(token, amount),
  }),
  'credited → frozen': ({ token, amount }, balances) => ({
    kind: 'deposit_refused',
    postings: depositRefusedLate(balances, token, amount),
  }),
  'frozen → credited': ({ token, amount }, balances) => ({
    kind: 'deposit_overturned',
    postings: depositOverturned(balances, token, amount),
  }),
  'frozen → returned': ({ token, amount }) => ({
    kind: 'deposit_returned',
    postings: depositReturned(token, amount),
  }),
  'frozen → outside': lost('frozen'),
  'credited → outside': lost('approved'),
  'returned → lost': lost('returned'),
  'outside → lost': lost('returned'),
  'processing → recovering': lost('returned'),
  'recovering → returned': ({ token, amount }) => ({
    kind: 'deposit_recovered',
    postings: depositRecovered(token, amount),
  }),
}

/** Returns the movement of a deposit whose funds go from one place to another. */
export function movementBetween(from: Place, to: Place, asset: Asset, balances: Balances): Moved {
  const movementOf = movements[`${from} → ${to}`]
  if (!movementOf) throw new Error(`a deposit cannot move from ${from} to ${to}`)
  return movementOf(asset, balances)
}
