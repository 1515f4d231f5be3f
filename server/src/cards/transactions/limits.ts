import { isOfType } from '../../config/card-programme.ts'
import type { Ctx } from '../../context.ts'
import { addSeconds } from '../../lib/clock.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { NetworkMessage } from './messages.ts'
import type { DeclineCode } from './rules.ts'
import { merchantOf, type Scene } from './scene.ts'
import { countUse } from './sql.ts'

const daySeconds = 86_400

/**
 * What the programme's limits say of an authorization, or of what raises one, that would bring its payment to `total`.
 * They are the user's, not a card's: a second card is no way around them. A day is the last 24 hours; a payment counts at
 * what it comes to now, from when it was opened. Asked under the account's lock, so that two at once cannot both fit.
 */
export async function limitCode(
  ctx: Ctx,
  tx: Tx,
  scene: Scene,
  message: NetworkMessage,
  total: bigint,
): Promise<DeclineCode | null> {
  const { cardLimits: limits } = ctx.config
  const { account, card, payment, now } = scene
  const { mcc, merchantCountry } = payment ?? merchantOf(message, null)
  if (limits.refusedMerchantTypes.some((types) => isOfType(mcc, types))) return 'MCC'
  if (limits.refusedCountries.includes(merchantCountry)) return 'CTY'

  const own = limits.merchantTypes.find((types) => isOfType(mcc, types))
  const caps = [limits, ...(own ? [own] : [])]
  if (caps.some(({ perTransaction }) => isAbove(total, perTransaction[card.currency]))) return 'LIM'

  // A raise is no new authorization.
  const velocity = payment === null ? limits.velocity : null
  const hasDailyCap = caps.some(({ daily }) => daily[card.currency] !== undefined)
  if (!hasDailyCap && velocity === null) return null
  const use = await countUse(tx, account.userId, {
    currency: card.currency,
    types: own ?? { first: '', last: '' },
    except: payment?.cardTransactionId ?? null,
    spentSince: addSeconds(now, -daySeconds),
    authorizedSince: addSeconds(now, -(velocity?.seconds ?? 0)),
  })
  if (isAbove(use.spent + total, limits.daily[card.currency])) return 'LIM'
  if (isAbove(use.spentOnTypes + total, own?.daily[card.currency])) return 'LIM'
  return velocity !== null && use.authorizations >= velocity.authorizations ? 'VEL' : null
}

function isAbove(amount: bigint, cap: bigint | undefined): boolean {
  return cap !== undefined && amount > cap
}
