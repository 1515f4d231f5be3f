import type { Ctx } from '../../context.ts'
import { deleteProcess, findProcess, upsertProcess } from './sql.ts'

/**
 * Releases the leases of a killed process when another process replaces it. Owns `service_process`.
 *
 * A process is identified by the address on which it alone listens. A new process that listens there proves that the
 * previous one is dead. A process that shuts down gracefully deletes its row first: it may still finish its work while
 * the next one already listens. Needs no database session, so it works behind a connection pooler.
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

/** Deletes the row of a process before it stops, so that the next process does not take over its unfinished work. */
export async function leaveProcesses({ db, log, processId }: Ctx, address: string): Promise<void> {
  // Without the database there is no work to finish, and the shutdown must continue.
  await deleteProcess(db, address, processId).catch((error) => log.warn({ err: error }, 'process row not deleted'))
}
