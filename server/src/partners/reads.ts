import type { Ctx } from '../context.ts'
import type { PartnerCaller } from '../platform/http/access.ts'
import { type PartnerRead, recordPartnerReads } from './partners.ts'

/**
 * Records the reads of user details in the partner's audit log, before their responses.
 *
 * An audit log has one writer at a time. If each read waited for its turn with a connection of its own, a partner that
 * reads many users would occupy the pool. So reads that arrive while another one is written wait in memory, and one
 * transaction writes them all.
 */
export type ReadsOfPartner = {
  /** Reads that wait for the current transaction. */
  waiting: PartnerRead[]
  /** The end of the transaction that will write them. */
  written: Promise<void>
}

type ReadCtx = Pick<Ctx, 'db' | 'clock' | 'config' | 'caches'>

/** Resolves once the read is in the audit log. */
export async function recordRead(
  ctx: ReadCtx,
  { partnerId, actor }: Pick<PartnerCaller, 'partnerId' | 'actor'>,
  read: Pick<PartnerRead, 'action' | 'subject'>,
): Promise<void> {
  const { partnerReads } = ctx.caches
  const own = partnerReads.get(partnerId) ?? { waiting: [], written: Promise.resolve() }
  partnerReads.set(partnerId, own)
  own.waiting.push({ ...read, actor })
  // The first read that waits starts the next transaction. Later ones join it.
  if (own.waiting.length === 1) own.written = writeAfter(ctx, partnerId, own)
  return own.written
}

async function writeAfter(ctx: ReadCtx, partnerId: string, own: ReadsOfPartner): Promise<void> {
  await own.written.catch(() => undefined)
  const reads = own.waiting.splice(0)
  const { written } = own
  try {
    await ctx.db.transaction((tx) => recordPartnerReads(ctx, tx, partnerId, reads))
  } finally {
    if (own.written === written && own.waiting.length === 0) ctx.caches.partnerReads.delete(partnerId)
  }
}
