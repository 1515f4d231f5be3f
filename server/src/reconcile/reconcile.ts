import { rebuildItems as rebuildCardItems } from '../card-transactions/card-transactions.ts'
import type { Ctx } from '../context.ts'
import { rebuildItems as rebuildDepositItems } from '../deposits/deposits.ts'
import { readBalances } from '../ledger/ledger.ts'
import { lockAccount } from '../users/users.ts'
import { rebuildItems as rebuildWithdrawalItems } from '../withdrawals/withdrawals.ts'
import { checkBalances, checkRebuilt, checkStatement, checkSums } from './rules.ts'
import { findItems, findOpenSums, findPostingSums } from './sql.ts'

/**
 * Whether one user's books are true: I1–I5, I7 and I8 over what is stored. Owns no table and writes nothing. The account
 * is locked meanwhile, so that all reads see the same books. Answers what is wrong; nothing wrong is an empty list.
 */
export async function checkUser(ctx: Ctx, userId: string): Promise<string[]> {
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, userId)
    const balances = await readBalances(tx, userId)
    const postings = await findPostingSums(tx, userId)
    const open = await findOpenSums(tx, userId)
    const items = await findItems(tx, userId)
    const rebuilt = [
      await rebuildCardItems(ctx, userId),
      await rebuildDepositItems(ctx, userId),
      await rebuildWithdrawalItems(ctx, userId),
    ]
    const texts = items.map(({ item }) => item)
    return [
      ...checkBalances(balances),
      ...checkSums('I2', balances, open, ['held', 'deposit_processing', 'withdrawal_processing']),
      ...checkSums('I3', balances, postings),
      ...checkStatement(ctx.config.tokens, balances, texts),
      ...checkRebuilt(items, rebuilt.flat()),
    ]
  })
}
