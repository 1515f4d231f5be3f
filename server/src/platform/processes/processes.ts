import type { Ctx } from '../../context.ts'
import { deleteProcess, findProcess, upsertProcess } from './sql.ts'

/**
 * Hands the leases of a killed process to the process that replaces it. Owns `service_process`.
 *
 * A process is known by the address on which it alone listens. The process that listens there now proves that
 * the previous one is dead. A process that stops in order deletes its row first: it still finishes its own work while the
 * next one may listen already. Needs no session of the database, so it works behind a connection pooler.
 */
export type ReleaseLeases = (ctx: Ctx, deadProcess: string) => Promise<void>

/** Releases the leases of the process that was killed at this address, and takes its place. */
export async function replaceDeadProcess(ctx: Ctx, address: string, releases: readonly ReleaseLeases[]): Promise<void> {
  const dead = await findProcess(ctx.db, address)
  if (dead !== null) {
    for (const release of releases) await release(ctx, dead)
    ctx.log.info({ address }, 'leases of a killed process released')
  }
  await upsertProcess(ctx.db, address, ctx.processId, ctx.clock.now())
}

/** Deletes the process before it stops, so that the next one leaves the work alone that this one still finishes. */
export async function leaveProcesses({ db, log, processId }: Ctx, address: string): Promise<void> {
  // Without the database nothing is left to finish, and the stop must continue.
  await deleteProcess(db, address, processId).catch((error) => log.warn({ err: error }, 'process not signed off'))
}
