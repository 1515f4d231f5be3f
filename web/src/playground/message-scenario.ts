import { formatAmount, parseAmount } from '@purser/client'
import type { Scenario, Step } from '../../../cli/src/scenarios/scenario.ts'
import type { Message } from './code.ts'

/** Makes a scenario of one card message: the earlier messages that it needs, the message, and the expected result. */

type MessageType = Message['transaction_type']

/** The expected result if all messages have the same amount, in hundredths. */
type End = {
  /** The messages that must come first. */
  readonly before: readonly MessageType[]
  readonly spent: (amount: bigint) => bigint
  readonly statement: (text: (amount: bigint) => string, amount: bigint) => readonly string[]
}

const none = () => 0n
const once = (amount: bigint) => amount
const twice = (amount: bigint) => 2n * amount

const ends: Readonly<Record<MessageType, End>> = {
  authorization: { before: [], spent: once, statement: (text, x) => [`Payment pending ${text(x)}`] },
  advice: { before: [], spent: once, statement: (text, x) => [`Payment pending ${text(x)}`] },
  single_message: { before: [], spent: once, statement: (text, x) => [`Payment settled ${text(x)}`] },
  clearing: { before: ['authorization'], spent: once, statement: (text, x) => [`Payment settled ${text(x)}`] },
  incremental: {
    before: ['authorization'],
    spent: twice,
    statement: (text, x) => [`Payment pending ${text(2n * x)}`],
  },
  replacement: { before: ['authorization'], spent: once, statement: (text, x) => [`Payment pending ${text(x)}`] },
  reversal: { before: ['authorization'], spent: none, statement: (text, x) => [`Payment cancelled ${text(x)}`] },
  expiry: { before: ['authorization'], spent: none, statement: (text, x) => [`Payment cancelled ${text(x)}`] },
  refund: {
    before: ['authorization', 'clearing'],
    spent: none,
    statement: (text, x) => [`Payment settled ${text(x)}`, `Refund settled ${text(x)}`],
  },
  clearing_cancellation: {
    before: ['authorization', 'clearing'],
    spent: none,
    statement: (text, x) => [`Payment settled ${text(x)}`, `Reversal settled ${text(x)}`],
  },
  refund_reversal: {
    before: ['authorization', 'clearing', 'refund'],
    spent: once,
    statement: (text, x) => [`Payment settled ${text(x)}`, `Refund settled ${text(x)}`, `Reversal settled ${text(x)}`],
  },
}

const digits = 2
const balance = 100n * 100n
const defaultAmount = '10.00'

export function scenarioOf(message: Message): Scenario {
  const { card_id: _card, fault = {}, event_id: _event, currency: _currency, ...own } = message
  const type = message.transaction_type
  const given = message.amount ?? message.replacement_amount ?? defaultAmount
  const text = (amount: bigint) => formatAmount({ amount, decimals: digits }, { fractionDigits: digits })
  const amount = minorOf(given)
  const { before, spent, statement } = ends[type]
  const code = message.authorization_code ?? 'STORY1'
  const about = { authorization_code: code, ...(message.merchant_name && { merchant_name: message.merchant_name }) }
  const earlier = before.map(
    (each): Step => ({ message: { transaction_type: each, amount: given, ...about }, status: 'approved' }),
  )
  const money = balance + 2n * amount
  const copies = fault.duplicate === undefined ? {} : { times: fault.duplicate + 1 }
  return {
    title: `One message: ${type}`,
    description: 'Copied from the playground.',
    balance: text(money),
    steps: [...earlier, { message: { ...own, ...about }, ...copies, status: 'approved' }],
    expected: { balances: { EUR: { spendable: text(money - spent(amount)) } }, statement: statement(text, amount) },
  }
}

/** A text that is not an amount yet counts as zero. */
function minorOf(text: string): bigint {
  try {
    return parseAmount(text, digits)
  } catch {
    return 0n
  }
}
