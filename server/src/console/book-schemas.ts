import { Type } from 'typebox'
import { PostingRecord } from '../card-history/schemas.ts'
import { findToken, type Token } from '../config/stablecoins.ts'
import { type Balances, ledgerAccounts } from '../ledger/rules.ts'
import type { StoredRun } from '../money/reconcile/runs.ts'
import type { SealedMovement } from '../money/reconcile/sealed-movement.ts'
import { DateTime, nullable, oneOf, Uuid } from '../platform/http/schemas.ts'
import type { MovementRow } from './books.ts'
import { causeOf } from './rules.ts'

const Text = Type.String()
const Count = Type.Integer()
const SignedAmount = Type.String({ pattern: '^-?[0-9]+$' })
const Accounts = Type.Object(
  Object.fromEntries(ledgerAccounts.map((account) => [account, SignedAmount])) as Record<
    (typeof ledgerAccounts)[number],
    typeof SignedAmount
  >,
  { title: 'LedgerAccounts', description: 'Token units.' },
)

const CauseRecord = Type.Object(
  { type: oneOf(['cardTransaction', 'deposit', 'withdrawal']), id: Uuid },
  {
    title: 'MovementCause',
    description:
      'The card transaction, deposit or withdrawal that moved the money. The gas of a return has the type `withdrawal` and the id of the return.',
  },
)

export const MovementSummary = Type.Object(
  { seq: Text, kind: Text, cause: CauseRecord, createdAt: DateTime },
  { title: 'MovementSummary' },
)

export function movementSummary({ seq, kind, refId, createdAt }: MovementRow) {
  return { seq: String(seq), kind, cause: causeOf({ kind, refId }), createdAt: createdAt.toISOString() }
}

export const MovementRecord = Type.Object(
  {
    ...MovementSummary.properties,
    postings: Type.Array(PostingRecord),
    seal: nullable(
      Type.Object({
        firstSeq: Text,
        lastSeq: Text,
        sealedAt: DateTime,
        hash: Text,
        isIntact: Type.Boolean({ description: 'Whether the movement is the one that was sealed.' }),
      }),
    ),
  },
  { title: 'Movement' },
)

export function movementRecord({ movement, seal }: SealedMovement) {
  const { seq, kind, refId, createdAtMicros, postings } = movement
  return {
    ...{ seq: String(seq), kind, cause: causeOf({ kind, refId }) },
    createdAt: new Date(Number(createdAtMicros / 1000n)).toISOString(),
    postings: postings.map(({ token, from, to, amount }) => ({ token, from, to, amount: String(amount) })),
    seal: seal && {
      ...{ firstSeq: String(seal.firstSeq), lastSeq: String(seal.lastSeq), hash: seal.hash, isIntact: seal.isIntact },
      sealedAt: seal.sealedAt.toISOString(),
    },
  }
}

export const LedgerAccountsRecord = Type.Object(
  { token: Text, symbol: nullable(Text), decimals: nullable(Count), accounts: Accounts },
  { title: 'TokenLedgerAccounts' },
)

export function ledgerAccountsRecords(balances: Balances, tokens: readonly Token[]) {
  return [...balances].map(([token, balance]) => {
    const known = findToken(tokens, token)
    const texts = ledgerAccounts.map((account) => [account, String(balance[account])] as const)
    return {
      ...{ token, symbol: known?.symbol ?? null, decimals: known?.decimals ?? null },
      // Built from the list of all ledger accounts, so none is missing.
      accounts: Object.fromEntries(texts) as Record<(typeof ledgerAccounts)[number], string>,
    }
  })
}

export const BadRowRecord = Type.Object(
  { table: Text, key: Text, wrong: Type.String({ description: 'The invariant, the expected and the found value.' }) },
  { title: 'BadRow' },
)

export const RunRecord = Type.Object(
  {
    runId: Uuid,
    startedAt: DateTime,
    endedAt: DateTime,
    isClean: Type.Boolean({ description: 'No bad row, and no shortfall on a chain.' }),
    users: Count,
    movements: Count,
    postings: Count,
    items: Count,
    records: Count,
    badUsers: Count,
    badRows: Count,
    firstBadRows: Type.Array(Type.Object({ userId: Text, ...BadRowRecord.properties })),
    unsealed: Type.Object({ users: Count, movements: Count, since: nullable(DateTime) }),
    totals: Type.Array(Type.Object({ token: Text, accounts: Accounts })),
    custody: nullable(
      Type.Array(
        Type.Object({
          chainId: Count,
          token: Text,
          block: Count,
          isShort: Type.Boolean(),
          books: SignedAmount,
          maxOutgoing: SignedAmount,
          wallets: SignedAmount,
          depositAddresses: SignedAmount,
          surplus: SignedAmount,
        }),
      ),
    ),
  },
  { title: 'ReconcileRun' },
)

export function runRecord({ startedAt, endedAt, firstBadRows, totals, custody, ...run }: StoredRun) {
  const isShort = custody?.some((each) => each.isShort) ?? false
  return {
    ...run,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    isClean: run.badRows === 0 && !isShort,
    firstBadRows: [...firstBadRows],
    totals: totals.map(({ token, accounts }) => ({
      token,
      accounts: { ...accounts } as Record<(typeof ledgerAccounts)[number], string>,
    })),
    custody: custody && [...custody],
  }
}
