import type { Config } from '../../config/config.ts'
import type { Ctx } from '../../context.ts'
import { StartError } from '../../lib/errors.ts'
import type { Db, Tx } from '../db/db.ts'
import { readStoredMode } from '../db/migrate.ts'
import type { Connection } from '../db/roles.ts'
import { reportSecurity } from '../observability/security-events.ts'
import { findMismatch, findOtherMode, type Programme, sharesChain } from './rules.ts'
import { addChains, findProgramme, insertProgramme, replaceChains } from './sql.ts'

/**
 * The programme that a database belongs to. Owns `programme`: one row, stored at the first start.
 *
 * Only chains of tokens count. A chain that is used only to verify contract wallets holds no money.
 */
type ProgrammeCtx = { readonly config: Pick<Config, 'mode' | 'tokens'>; readonly db: Db }

/**
 * Stores the programme at the first start and its new chains at later ones. `atFirstStart` runs in the transaction of
 * the first start. Throws if the database belongs to another programme, which is a security event: somebody may have
 * pointed a sandbox at real money.
 */
export async function joinProgramme(
  ctx: ProgrammeCtx & Pick<Ctx, 'log' | 'metrics' | 'caches'>,
  atFirstStart: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  const own = programmeOf(ctx)
  await ctx.db.transaction(async (tx) => {
    if (await insertProgramme(tx, own)) await atFirstStart(tx)
  })
  const stored = await findProgramme(ctx.db)
  // Without users there are no deposit addresses, so a first configuration may be corrected.
  if (stored?.mode === own.mode && !sharesChain(stored, own)) await replaceChains(ctx.db, own.chainIds)
  const conflict = await findConflict(ctx)
  if (conflict !== null) {
    reportSecurity(ctx, 'programme_conflict', stored?.mode === own.mode ? 'chains' : 'mode', {})
    throw new StartError(conflict)
  }
  await addChains(ctx.db, own.chainIds)
}

/**
 * Throws if the database belongs to a programme of another mode. Call it before migrations: a start with the wrong mode
 * must change nothing. Without `report` there is no security event, because commands have no log.
 */
export async function requireMode(
  connection: Connection,
  { mode }: Pick<Config, 'mode'>,
  report?: Pick<Ctx, 'log' | 'metrics' | 'caches'>,
): Promise<void> {
  const stored = await readStoredMode(connection)
  const conflict = stored === null ? null : findOtherMode(stored, mode)
  if (conflict === null) return
  if (report !== undefined) reportSecurity(report, 'programme_conflict', 'mode', {})
  throw new StartError(conflict)
}

/** Throws if the database belongs to another programme. For commands, which must not store the programme. */
export async function requireProgramme(ctx: ProgrammeCtx): Promise<void> {
  const conflict = await findConflict(ctx)
  if (conflict !== null) throw new StartError(conflict)
}

async function findConflict(ctx: ProgrammeCtx): Promise<string | null> {
  const stored = await findProgramme(ctx.db)
  return stored && findMismatch(stored, programmeOf(ctx))
}

function programmeOf({ config: { mode, tokens } }: ProgrammeCtx): Programme {
  return { mode, chainIds: [...new Set(tokens.map(({ chainId }) => chainId))].sort((one, other) => one - other) }
}
