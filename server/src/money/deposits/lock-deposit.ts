import { lockAccount } from '../../identity/users/users.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Tx } from '../../platform/db/db.ts'
import { type Deposit, findDepositKey, findDepositsById } from './sql.ts'

/** Returns a deposit, and keeps it from changing until the end of the transaction. */
export async function lockDeposit(tx: Tx, depositId: string): Promise<Deposit> {
  const key = await findDepositKey(tx, depositId)
  if (key === null) throw new Refusal('DEPOSIT_NOT_FOUND')
  await lockAccount(tx, key.userId)
  const [deposit] = await findDepositsById(tx, key.userId, [depositId])
  if (deposit === undefined) throw new Refusal('DEPOSIT_NOT_FOUND')
  return deposit
}
