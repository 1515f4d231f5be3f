import type { Ctx } from '../context.ts'
import type { UserCaller } from '../http/access.ts'
import { loadUser } from '../users/users.ts'
import { isEligible } from './rules.ts'

/** Bank account numbers. Owns no table yet: a user can ask whether one could be had. */
export async function isIbanAvailable(ctx: Ctx, caller: UserCaller): Promise<boolean> {
  return isEligible(await loadUser(ctx.db, caller), ctx.config.ibanCountries)
}
