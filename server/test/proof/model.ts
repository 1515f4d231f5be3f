import {
  type Book,
  cent,
  credit,
  type Deposit,
  debit,
  type Model,
  move,
  nonZero,
  spendableUnits,
  type Withdrawal,
} from './model-books.ts'
import { fold, reach } from './model-cards.ts'

/** The model's deposits, withdrawals and clock, and the statement and books that it predicts. */

type Place = 'outside' | 'processing' | 'credited' | 'frozen'

function placeOf({ chain, screening }: Deposit): Place {
  if (chain === 'reorganized') return 'outside'
  if (chain === 'unfinal' || screening === 'pending') return 'processing'
  return screening === 'approved' ? 'credited' : 'frozen'
}

function place(model: Model, deposit: Deposit, before: Place): void {
  const { token, units } = deposit
  const after = placeOf(deposit)
  if (before === after) return
  if (after === 'outside') {
    if (before === 'processing') move(model, token, 'deposit_processing', 'unfinal', units)
    else if (before === 'credited') debit(model, token, 'chain', units)
    else move(model, token, 'frozen', 'chain', units)
  } else if (before === 'outside') move(model, token, 'unfinal', 'deposit_processing', units)
  else if (before === 'frozen') credit(model, token, 'frozen', units)
  else {
    move(model, token, 'chain', 'unfinal', units)
    if (after === 'frozen') move(model, token, 'deposit_processing', 'frozen', units)
    else credit(model, token, 'deposit_processing', units)
  }
}

function change(model: Model, deposit: Deposit, to: Partial<Deposit>): void {
  const before = placeOf(deposit)
  Object.assign(deposit, to)
  place(model, deposit, before)
}

/** Records a transfer found in a block. Finding it again changes nothing, unless a reorganization had removed it. */
export function seeTransfer(model: Model, id: string, seen: Omit<Deposit, 'chain' | 'screening'>): void {
  const known = model.deposits.get(id)
  if (known) {
    if (known.chain === 'reorganized') change(model, known, { chain: 'unfinal' })
    return
  }
  const deposit: Deposit = { ...seen, chain: 'unfinal', screening: 'pending' }
  model.deposits.set(id, deposit)
  place(model, deposit, 'outside')
}

/** Applies the state that the chain reports for a transfer. */
export function followChain(model: Model, deposit: Deposit): void {
  const { chain, says } = deposit
  const isNews =
    says === 'reorganized' || (chain === 'unfinal' ? says === 'final' : chain === 'reorganized' && says === 'unfinal')
  if (isNews) change(model, deposit, { chain: says })
}

/** Queries the open results of a deposit: its finality and its screening. */
export function look(model: Model, deposit: Deposit): void {
  if (deposit.chain === 'unfinal') followChain(model, deposit)
  if (deposit.screening === 'pending' && deposit.chain !== 'reorganized') {
    change(model, deposit, { screening: deposit.sender })
  }
}

export function screen(model: Model, deposit: Deposit, result: 'approved' | 'rejected'): string {
  const isAllowed =
    deposit.screening === result ||
    deposit.screening === 'pending' ||
    (deposit.screening === 'rejected' && result === 'approved')
  if (deposit.chain === 'reorganized' || !isAllowed) return '409 INVALID_DEPOSIT_STATUS'
  change(model, deposit, { screening: result })
  return depositStatus(deposit)
}

function depositStatus({ chain, screening }: Deposit): string {
  if (chain === 'reorganized') return 'rejected'
  return chain === 'final' ? screening : 'pending'
}

export function withdraw(model: Model, address: string, units: bigint): string {
  const token = model.tokens.find((token) => token.address === address)
  if (!token) throw new Error('no such token')
  if (model.account !== 'active') return '422 ACCOUNT_NOT_ACTIVE'
  if (units > spendableUnits(model, token)) return '422 INSUFFICIENT_FUNDS'
  move(model, address, 'available', 'withdrawal_processing', units)
  return 'accepted'
}

/** Sends a pending withdrawal, or fails it if the account is no longer active. */
function pay(model: Model, withdrawal: Withdrawal): void {
  if (withdrawal.status !== 'pending') return
  if (model.account === 'active') withdrawal.status = 'processing'
  else end(model, withdrawal, 'failed')
}

/** Applies the final outcome of a payout. */
export function settle(model: Model, withdrawal: Withdrawal, outcome: 'completed' | 'failed'): string {
  pay(model, withdrawal)
  if (withdrawal.status === outcome) return 'settled'
  if (withdrawal.status === 'completed' || withdrawal.status === 'failed') return '409 INVALID_WITHDRAWAL_STATUS'
  end(model, withdrawal, outcome)
  return 'settled'
}

function end(model: Model, withdrawal: Withdrawal, outcome: 'completed' | 'failed'): void {
  withdrawal.status = outcome
  const { token, units } = withdrawal
  if (outcome === 'completed') move(model, token, 'withdrawal_processing', 'chain', units)
  else credit(model, token, 'withdrawal_processing', units)
}

/** Days from the last approval to the end of a hold, by merchant class. */
const lifetimeDays: Readonly<Record<string, number>> = { '7011': 31, '5541': 3, '5999': 7 }
const day = 86_400

/** Moves the clock and does all work that became due. */
export function pass(model: Model, seconds: number): void {
  model.now += seconds
  for (const deposit of model.deposits.values()) if (placeOf(deposit) === 'processing') look(model, deposit)
  for (const withdrawal of model.withdrawals.values()) pay(model, withdrawal)
  for (const [name, code] of model.codes) {
    const { payment, counted, mcc, lastAt } = code
    if (payment?.status !== 'pending') continue
    const approvals = counted.filter(
      ({ type, cents }) =>
        ['authorization', 'single_message', 'advice', 'incremental'].includes(type) ||
        (type === 'replacement' && (cents ?? 0n) > 0n),
    )
    const since = approvals.length === 0 ? lastAt : Math.max(...approvals.map(({ at }) => at))
    if (model.now < since + (lifetimeDays[mcc] ?? 7) * day) continue
    const card = model.cards[Number(name.split(' ')[0])]
    if (!card) throw new Error('no such card')
    counted.push({ type: 'expiry', cents: null, final: true, at: model.now })
    const now = fold(counted)
    reach(model, card.currency, payment, now.held, now.settled)
    Object.assign(payment, { status: now.status, cents: now.shown })
  }
}

/** Returns the statement, one line per item, sorted. */
export function statementOf(model: Model): string[] {
  const lines: string[] = []
  for (const [name, { payment, others }] of model.codes) {
    for (const row of [...(payment ? [payment] : []), ...others]) {
      lines.push(`card ${name} ${row.kind} ${row.status} ${row.cents}${row.credit ? ' credit' : ''}`)
    }
  }
  for (const deposit of model.deposits.values()) lines.push(`deposit ${depositStatus(deposit)} ${deposit.units}`)
  for (const { status, units } of model.withdrawals.values()) lines.push(`withdrawal ${status} ${units}`)
  return lines.sort()
}

/** Returns the held and settled amounts of each card row and token, sorted. They determine a later release. */
export function partsOf(model: Model): string[] {
  const lines: string[] = []
  for (const [name, { payment, others }] of model.codes) {
    for (const { kind, parts } of [...(payment ? [payment] : []), ...others]) {
      for (const [address, { held, settled }] of parts) {
        const token = model.tokens.find((token) => token.address === address)
        if (!token) throw new Error('no such token')
        const units = (cents: bigint) => cents * cent(token)
        if (held + settled > 0n) {
          lines.push(`card ${name} ${kind} ${token.symbol} holds ${units(held)}, settled ${units(settled)}`)
        }
      }
    }
  }
  return lines.sort()
}

/** Returns the amount of each message, sorted. The amount of a full reversal depends on the messages before it. */
export function messagesOf(model: Model): string[] {
  const lines = [...model.codes].flatMap(([name, { counted }]) =>
    counted.map(({ type, cents }) => `card ${name} ${type} ${cents}`),
  )
  return lines.sort()
}

/**
 * Returns the states of the account and its cards, sorted. The responses to racing changes do not show which change
 * came last.
 */
export function standingOf({ account, isKnown, cards }: Model): string[] {
  const lines = cards.map(
    ({ blockers, end }, i) => `card ${i} blocked by ${[...blockers].sort()}, end ${end ?? 'none'}`,
  )
  return [`account ${account}, known ${isKnown}`, ...lines].sort()
}

/** Returns the nonzero balances by token. */
export function booksOf(model: Model): Record<string, Partial<Book>> {
  return Object.fromEntries([...model.books].map(([token, book]) => [token, nonZero(book)]))
}
