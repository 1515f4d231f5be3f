import type { EventType } from '../events/rules.ts'
import { exampleAddress } from '../platform/http/schemas.ts'
import { exampleDeposit, examplePayment, exampleWithdrawal } from '../statement-items/examples.ts'

/** Invented data of each event type, for test events. The ids belong to nobody. */

const nobody = '00000000-0000-0000-0000-000000000000'
const ofUser = { userId: nobody, accountId: nobody, sequence: 1 }

/** The subject of an event: `card.transaction` of `card.transaction.pending`. */
type SubjectOf<T extends string> = T extends `${infer Head}.${infer Rest}`
  ? Rest extends `${string}.${string}`
    ? `${Head}.${SubjectOf<Rest>}`
    : Head
  : never
type Subject = SubjectOf<EventType>

export function exampleOf(type: EventType): object {
  const at = type.lastIndexOf('.')
  // TypeScript does not compute the type of a slice.
  return examples[type.slice(0, at) as Subject](type.slice(at + 1))
}

/** The data of an event about each subject, after a change. */
const examples: Readonly<Record<Subject, (change: string) => object>> = {
  account: (change) => ({ ...ofUser, address: exampleAddress, currency: 'EUR', status: stateAfter(change) }),
  'account.balance': () => ({ ...ofUser, ...exampleBalances }),
  'kyc.profile': (change) => ({ ...ofUser, status: camelCase(change) }),
  deposit: (change) => ({ ...ofUser, ...exampleDeposit, id: nobody, status: change }),
  withdrawal(change) {
    const txHash = change === 'pending' ? null : exampleDeposit.txHash
    return { ...ofUser, ...exampleWithdrawal, id: nobody, status: change, txHash }
  },
  card(change) {
    return { ...ofUser, cardId: nobody, type: 'virtual', status: stateAfter(change), last4: '6520', currency: 'EUR' }
  },
  'card.transaction'(change) {
    const reason = { code: '810', message: 'Insufficient balance' }
    return {
      ...ofUser,
      ...examplePayment,
      ...{ id: nobody, cardId: nobody, status: change, isPending: change === 'pending' },
      clearedAt: change === 'settled' ? examplePayment.clearedAt : null,
      declineReason: change === 'declined' ? reason : null,
    }
  },
  'webhook.endpoint': () => ({ endpointId: nobody, url: 'https://api.example.com/purser', reason: 'failing' }),
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
