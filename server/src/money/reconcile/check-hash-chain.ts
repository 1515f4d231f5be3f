import { max } from '../../lib/money.ts'
import type { Keys } from '../../platform/crypto/derive-key.ts'
import type { Queryable } from '../../platform/db/db.ts'
import {
  type ChainedMovement,
  type ChainedPosting,
  chainStart,
  hashesBySeq,
  hashMovement,
  isAuthentic,
  lowestSeq,
  type Seal,
} from './hash-chain.ts'
import type { BadRow, ItemSum } from './invariants.ts'
import { readMovements } from './seals.ts'
import { findSeals } from './sql.ts'

/** A hash that the service logged when it wrote a seal. */
export type LoggedHead = { readonly seq: bigint; readonly head: string }

export type HashChainCheck = {
  readonly badRows: readonly BadRow[]
  readonly movements: number
  readonly postings: number
  /** the sums of all postings by item, token and ledger account */
  readonly moved: readonly ItemSum[]
  /** the movements that no seal covers yet, and the time of the first one */
  readonly unsealed: { readonly movements: number; readonly since: Date | null }
}

const maxMovementsPerPage = 1000

/** Checks I6: one user's movements and postings are exactly those that were sealed. `db` must be one snapshot. */
export async function checkHashChain(
  db: Queryable,
  keys: Keys,
  userId: string,
  logged: readonly LoggedHead[],
): Promise<HashChainCheck> {
  const seals = await findSeals(db, userId)
  const hashes = hashesBySeq(seals)
  const badRows = [...checkSeals(keys, userId, seals), ...checkLogged(hashes, logged)]
  const sealedUntil = seals.at(-1)?.lastSeq ?? 0n
  const unsealed = { movements: 0, since: null as Date | null }
  const counts = { movements: 0, postings: 0 }
  const moved = new Map<string, ItemSum>()
  let before = 0n
  for (let after = lowestSeq; ; ) {
    const { movements, orphans } = await readMovements(db, userId, after, maxMovementsPerPage)
    for (const orphan of orphans) {
      const key = `${orphan.seq}/${orphan.line}`
      badRows.push({ table: 'posting', key, wrong: 'I6: the movement of this posting is missing' })
      addMoved(moved, null, orphan)
    }
    for (const movement of movements) {
      badRows.push(...missing(seals, before + 1n, movement.seq - 1n))
      if (movement.seq <= sealedUntil) badRows.push(...checkMovement(userId, hashes, movement))
      after = movement.seq
      before = max(before, movement.seq)
      for (const posting of movement.postings) addMoved(moved, movement.refId, posting)
      counts.movements += 1
      counts.postings += movement.postings.length
      if (movement.seq <= sealedUntil) continue
      unsealed.movements += 1
      unsealed.since ??= timeOf(movement)
    }
    if (movements.length < maxMovementsPerPage) break
  }
  const missingRows = missing(seals, before + 1n, sealedUntil)
  return { badRows: [...badRows, ...missingRows], ...counts, moved: [...moved.values()], unsealed }
}

function addMoved(
  moved: Map<string, ItemSum>,
  refId: string | null,
  { token, from, to, amount }: ChainedPosting,
): void {
  for (const [account, change] of [
    [from, -amount],
    [to, amount],
  ] as const) {
    const key = `${refId} ${token} ${account}`
    moved.set(key, { refId, token, account, amount: (moved.get(key)?.amount ?? 0n) + change })
  }
}

/** Checks that every seal is authentic and that the seals follow each other without gaps. */
function checkSeals(keys: Keys, userId: string, seals: readonly Seal[]): BadRow[] {
  return seals.flatMap((seal, i) => {
    const expected = (seals[i - 1]?.lastSeq ?? 0n) + 1n
    const bad = (wrong: string) => ({
      table: 'movement_seal',
      key: movementsFrom(seal.firstSeq, seal.lastSeq),
      wrong,
    })
    const problems: BadRow[] = []
    if (seal.firstSeq !== expected)
      problems.push(bad(`I6: the preceding seal, which begins with movement ${expected}, is missing`))
    if (!isAuthentic(keys, userId, seal)) {
      problems.push(bad('I6: its MAC was not computed with SECRET. Someone replaced the hashes, or SECRET has changed'))
    }
    return problems
  })
}

/** Checks that every logged hash is still stored. A chain that was rolled back and sealed again fails this check. */
function checkLogged(hashes: ReadonlyMap<bigint, Buffer>, logged: readonly LoggedHead[]): BadRow[] {
  return logged.flatMap(({ seq, head }) => {
    const stored = hashes.get(seq)?.toString('hex')
    if (stored === head) return []
    const found = stored === undefined ? 'no seal covers it' : `its stored hash is ${stored}`
    return [{ table: 'movement_seal', key: `movement ${seq}`, wrong: `I6: its logged hash is ${head}, but ${found}` }]
  })
}

/** Checks a movement and its postings against its stored hash, continuing from the stored hash of the previous one. */
function checkMovement(userId: string, hashes: ReadonlyMap<bigint, Buffer>, movement: ChainedMovement): BadRow[] {
  const key = `movement ${movement.seq}`
  const stored = hashes.get(movement.seq)
  const before = movement.seq === 1n ? chainStart : hashes.get(movement.seq - 1n)
  if (stored === undefined) {
    return [
      { table: 'movement', key, wrong: `I6: it is not sealed, but later movements are. It is ${describe(movement)}` },
    ]
  }
  // The missing preceding seal is already reported.
  if (before === undefined) return []
  if (stored.equals(hashMovement(userId, before, movement))) return []
  const wrong = `I6: it or its postings differ from what was sealed. It is now ${describe(movement)}`
  return [{ table: 'movement, posting', key, wrong }]
}

function missing(seals: readonly Seal[], first: bigint, last: bigint): BadRow[] {
  if (last < first) return []
  const sealed = seals.find(({ lastSeq }) => lastSeq >= first)
  const detail = sealed && sealed.firstSeq <= first ? `, but sealed at ${sealed.sealedAt.toISOString()}` : ''
  const [table, key] = ['movement', movementsFrom(first, last)]
  return [{ table, key, wrong: `I6: missing${detail}` }]
}

function describe(movement: ChainedMovement): string {
  const { kind, refId, postings } = movement
  const lines = postings.map(({ line, token, from, to, amount }) => `${line}: ${amount} of ${token} ${from} → ${to}`)
  return `${kind} of ${refId} at ${timeOf(movement).toISOString()} with ${lines.length} posting(s) ${lines.join(', ')}`.trim()
}

function timeOf({ createdAtMicros }: ChainedMovement): Date {
  return new Date(Number(createdAtMicros / 1000n))
}

function movementsFrom(first: bigint, last: bigint): string {
  return first === last ? `movement ${first}` : `movements ${first} to ${last}`
}
