import type { EventType } from '../events/rules.ts'
import { exampleAddress } from '../platform/http/schemas.ts'
import { exampleDeposit, examplePayment, exampleWithdrawal } from '../statement-items/examples.ts'

/** Invented data of each event type, for test events. The ids belong to nobody. */

const nobody = '00000000-0000-0000-0000-000000000000'
const ofUser = { userId: nobody, accountId: nobody, sequence: 1 }

export function exampleOf(type: EventType): object {
  const change = type.slice(type.lastIndexOf('.') + 1)
  if (type === 'account.balance.changed') return { ...ofUser, ...exampleBalances }
  if (type.startsWith('account.')) {
    return { ...ofUser, address: exampleAddress, currency: 'EUR', status: stateAfter(change) }
  }
  if (type.startsWith('kyc.')) return { ...ofUser, status: camelCase(change) }
  if (type.startsWith('deposit.')) return { ...ofUser, ...exampleDeposit, id: nobody, status: change }
  if (type.startsWith('withdrawal.')) {
    const txHash = change === 'pending' ? null : exampleDeposit.txHash
    return { ...ofUser, ...exampleWithdrawal, id: nobody, status: change, txHash }
  }
  if (type.startsWith('card.transaction.')) {
    const reason = { code: '810', message: 'Insufficient balance' }
    return {
      ...ofUser,
      ...examplePayment,
      ...{ id: nobody, cardId: nobody, status: change, isPending: change === 'pending' },
      clearedAt: change === 'settled' ? examplePayment.clearedAt : null,
      declineReason: change === 'declined' ? reason : null,
    }
  }
  if (type.startsWith('card.')) {
    return { ...ofUser, cardId: nobody, type: 'virtual', status: stateAfter(change), last4: '6520', currency: 'EUR' }
  }
  return { endpointId: nobody, url: 'https://api.example.com/purser', reason: 'failing' }
}

const exampleBalances = {
  reason: 'deposit.approved',
  referenceId: 'evt_00000000000000000000000000000000',
  balances: [
    {
      ...{ currency: 'EUR', decimals: 18, spendable: exampleDeposit.amount },
      ...{ nonSpendable: '0', processingDeposits: '0', processingWithdrawals: '0' },
    },
  ],
}

/** Returns the state of an account or card after a change. */
function stateAfter(change: string): string {
  return ['created', 'activated', 'unblocked'].includes(change) ? 'active' : change
}

function camelCase(words: string): string {
  return words.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
}
