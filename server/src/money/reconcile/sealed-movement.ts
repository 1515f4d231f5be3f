import type { ReadCtx } from '../../context.ts'
import { type ChainedMovement, chainStart, hashesBySeq, hashMovement, isAuthentic } from './hash-chain.ts'
import { readMovements, sealKeys } from './seals.ts'
import { findSealsCovering } from './sql.ts'

/** The seal that covers a movement, and whether the movement is still the one that was sealed. */
type MovementSeal = {
  readonly firstSeq: bigint
  readonly lastSeq: bigint
  readonly sealedAt: Date
  /** in hex */
  readonly hash: string
  /** whether the movement and its postings have the sealed hash, and the MAC of the seal is authentic */
  readonly isIntact: boolean
}

/** A movement; its seal is null until the next round of sealing. */
export type SealedMovement = { readonly movement: ChainedMovement; readonly seal: MovementSeal | null }

/** Returns one movement of a user with its seal, or null. `db` must be one snapshot. */
export async function readSealedMovement(
  { config, db }: ReadCtx,
  userId: string,
  seq: bigint,
): Promise<SealedMovement | null> {
  const [movement] = (await readMovements(db, userId, seq - 1n, 1)).movements
  if (movement?.seq !== seq) return null
  // The hash before the first movement of a seal is in the preceding seal.
  const seals = await findSealsCovering(db, userId, seq)
  const seal = seals.find(({ firstSeq, lastSeq }) => firstSeq <= seq && seq <= lastSeq)
  if (seal === undefined) return { movement, seal: null }
  const hashes = hashesBySeq(seals)
  const before = seq === 1n ? chainStart : hashes.get(seq - 1n)
  const hash = hashes.get(seq)
  const isSame = before !== undefined && hash?.equals(hashMovement(userId, before, movement)) === true
  const { firstSeq, lastSeq, sealedAt } = seal
  const isIntact = isSame && isAuthentic(sealKeys(config), userId, seal)
  return { movement, seal: { firstSeq, lastSeq, sealedAt, hash: hash?.toString('hex') ?? '', isIntact } }
}
