import {
  atLeastZero,
  bookOf,
  type Card,
  type Code,
  type Counted,
  cent,
  credit,
  debit,
  type Message,
  type MessageType,
  type Model,
  min,
  move,
  type Part,
  type Parts,
  type Row,
  spendableCents,
  type Token,
  total,
} from './model-books.ts'

/** The model's card transactions: their fold, and the postings that follow from it. */

/** Returns the fold of all messages of an authorization. It does not depend on their order. */
export function fold(counted: readonly Counted[]) {
  const add = (types: readonly MessageType[], sign: (cents: bigint) => bigint = (cents) => cents) =>
    total(counted.filter(({ type }) => types.includes(type)).map(({ cents }) => sign(cents ?? 0n)))
  const approved = add(['authorization', 'single_message', 'incremental', 'advice']) + add(['replacement'], atLeastZero)
  const reversed = add(['reversal']) + add(['replacement'], (cents) => atLeastZero(-cents))
  const settled = add(['clearing', 'single_message'])
  const isAuthorized = counted.some(({ type }) => ['authorization', 'single_message', 'advice'].includes(type))
  const mayHold = counted.some(({ type }) => type === 'authorization' || type === 'advice')
  const isClosed = counted.some(
    ({ type, final }) => type === 'expiry' || type === 'single_message' || (type === 'clearing' && final),
  )
  const held = isClosed || !isAuthorized ? 0n : atLeastZero(approved - reversed - settled)
  const isOver = isClosed || (isAuthorized && reversed > 0n)
  const open = held > 0n ? 'pending' : settled > 0n ? 'settled' : isOver ? 'cancelled' : 'pending'
  return {
    approved,
    reversed,
    settled,
    isAuthorized,
    mayHold,
    isClosed,
    held,
    status: open,
    shown: open === 'cancelled' && isAuthorized ? approved : settled + held,
  }
}

/**
 * Sets the missing amounts of full reversals, once there is an authorization. The first of them releases the whole
 * hold, and the others release nothing.
 */
function withWholeReversals(counted: readonly Counted[]): Counted[] {
  const now = fold(counted)
  if (!now.mayHold) return [...counted]
  const first = counted.findIndex(({ type, cents }) => type === 'reversal' && cents === null)
  return counted.map((one, i) =>
    one.type === 'reversal' && one.cents === null ? { ...one, cents: i === first ? now.held : 0n } : one,
  )
}

const rates: Readonly<Record<string, bigint>> = { EUR: 100n, USD: 110n, GBP: 85n }

/** Converts an amount to the card's currency, rounding half up. */
function billed({ cents, currency }: Message, to: string): bigint | null {
  if (cents === null || currency === to) return cents
  const [numerator, denominator] = [cents * (rates[to] ?? 0n), rates[currency] ?? 1n]
  return (numerator * 2n + denominator) / (denominator * 2n)
}

/** Returns the outcome of a message, in the form that `outcomeOf` gives the service's response. */
export function receive(model: Model, message: Message, mcc: string): string {
  const known = model.events.get(message.eventId)
  if (known !== undefined) return known
  const outcome = receiveNew(model, message, mcc)
  if (!/^\d/.test(outcome)) model.events.set(message.eventId, outcome)
  return outcome
}

function receiveNew(model: Model, message: Message, mcc: string): string {
  const card = model.cards[message.card]
  if (!card) throw new Error('no such card')
  const name = `${message.card} ${message.code}`
  const found = model.codes.get(name)
  const code: Code = found ?? { counted: [], decided: false, payment: null, others: [], lastAt: model.now, mcc }
  const cents = billed(message, card.currency)
  const outcome = isReturn(message.type)
    ? receiveReturn(model, card, code, message, cents ?? 0n)
    : pay(model, card, code, message, cents)
  if (!/^\d/.test(outcome)) model.codes.set(name, code)
  return outcome
}

const isReturn = (type: MessageType) =>
  type === 'refund' || type === 'refund_reversal' || type === 'clearing_cancellation'

function pay(model: Model, card: Card, code: Code, message: Message, billedCents: bigint | null): string {
  const { type, final, partial } = message
  const before = fold(code.counted)
  const isDecision = type === 'authorization' || type === 'single_message'
  let cents = billedCents
  if (isDecision && code.decided) return '409 AUTHORIZATION_CODE_USED'
  if (type === 'expiry' && code.payment === null) return '404 AUTHORIZATION_NOT_FOUND'
  if (type === 'replacement') {
    if (!before.isAuthorized && !code.decided) return '404 AUTHORIZATION_NOT_FOUND'
    cents = (cents ?? 0n) - (before.approved - before.reversed)
  }
  const counted = (amount: bigint | null): Counted => ({ type, cents: amount, final, at: model.now })
  const isRaise = type === 'incremental' || (type === 'replacement' && (cents ?? 0n) > 0n)
  const isReversal = type === 'reversal' || (type === 'replacement' && !isRaise)
  if ((isRaise && !before.isAuthorized) || (isReversal && !before.mayHold)) {
    if (isRaise && code.decided) return 'denied CLO'
    code.counted.push(counted(cents))
    return 'approved'
  }

  let answer = 'approved'
  if (isDecision || isRaise) {
    const blocked = standing(model, card) ?? (isRaise && before.isClosed ? 'CLO' : null)
    const after = fold(withWholeReversals([...code.counted, counted(cents)]))
    const short = after.held + after.settled - before.held - before.settled - spendableCents(model, card.currency)
    const part = (cents ?? 0n) - short
    const isPart = short > 0n && partial && type === 'authorization' && part > 0n
    const denied = blocked ?? (short > 0n && !isPart ? '810' : null)
    if (isDecision) code.decided = true
    if (denied !== null) {
      if (isDecision) code.others.push(newRow('Payment', 'declined', cents ?? 0n, false))
      return `denied ${denied}`
    }
    if (isPart) cents = part
    if (partial && type === 'authorization') answer = `approved ${major(cents ?? 0n)}`
  }
  code.counted = withWholeReversals([...code.counted, counted(cents)])
  code.payment ??= newRow('Payment', 'pending', 0n, false)
  code.lastAt = model.now
  const now = fold(code.counted)
  reach(model, card.currency, code.payment, now.held, now.settled)
  Object.assign(code.payment, { status: now.status, cents: now.shown })
  return answer
}

function standing(model: Model, card: Card): string | null {
  if (card.end !== null) return { lost: 'BNP', stolen: 'BNR', expired: 'VNM' }[card.end]
  if (card.blockers.size > 0) return 'UBT'
  if (model.account === 'closed') return 'CNC'
  return model.account === 'blocked' || !model.isKnown ? 'CND' : null
}

function newRow(kind: string, status: string, cents: bigint, credit: boolean): Row {
  return { kind, status, cents, credit, parts: new Map() }
}

function major(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

function partOf(parts: Parts, token: Token): Part {
  let part = parts.get(token.address)
  if (!part) {
    part = { held: 0n, settled: 0n }
    parts.set(token.address, part)
  }
  return part
}

/** Settles from the hold, then from available funds, then as debt. Releases the rest, and holds any new amount. */
export function reach(model: Model, currency: string, { parts }: Row, held: bigint, settled: bigint): void {
  const own = model.tokens.filter((token) => token.currency === currency)
  const sumOf = (side: keyof Part) => total([...parts.values()].map((part) => part[side]))
  let toRelease = atLeastZero(sumOf('held') - held)
  let toSettle = settled - sumOf('settled')
  for (const token of own) {
    const part = partOf(parts, token)
    const taken = min(min(toRelease, toSettle), part.held)
    move(model, token.address, 'held', 'network', taken * cent(token))
    part.held -= taken
    part.settled += taken
    toRelease -= taken
    toSettle -= taken
  }
  draw(model, own, parts, 'settled', toSettle)
  for (const token of own.toReversed()) {
    const part = partOf(parts, token)
    const released = min(toRelease, part.held)
    credit(model, token.address, 'held', released * cent(token))
    part.held -= released
    toRelease -= released
  }
  draw(model, own, parts, 'held', atLeastZero(held - sumOf('held')))
}

/** Debits whole cents of each token in order. The first token takes any shortfall. */
function draw(model: Model, own: readonly Token[], parts: Parts, side: keyof Part, cents: bigint): void {
  const to = side === 'held' ? 'held' : 'network'
  let missing = cents
  for (const token of own) {
    const taken = min(missing, bookOf(model, token.address).available / cent(token))
    debit(model, token.address, to, taken * cent(token))
    partOf(parts, token)[side] += taken
    missing -= taken
  }
  const [first] = own
  if (!first || missing === 0n) return
  debit(model, first.address, to, missing * cent(first))
  partOf(parts, first)[side] += missing
}

function receiveReturn(model: Model, card: Card, code: Code, message: Message, cents: bigint): string {
  const rows = [...(code.payment ? [code.payment] : []), ...code.others]
  const sumOf = (kind: string, isCredit: boolean) =>
    total(rows.filter((row) => row.kind === kind && row.credit === isCredit).map((row) => row.cents))
  if (rows.length === 0 && message.isNamed) return '404 AUTHORIZATION_NOT_FOUND'
  if (
    (message.type === 'clearing_cancellation' && cents > fold(code.counted).settled - sumOf('Reversal', true)) ||
    (message.type === 'refund_reversal' && cents > sumOf('Refund', true) - sumOf('Reversal', false))
  ) {
    return '422 AMOUNT_EXCEEDS_ORIGINAL'
  }
  const row = newRow(message.type === 'refund' ? 'Refund' : 'Reversal', 'settled', cents, true)
  if (message.type === 'refund_reversal') {
    row.credit = false
    reach(model, card.currency, row, 0n, cents)
  } else {
    creditCents(model, card.currency, row, rows, cents)
  }
  code.others.push(row)
  return 'approved'
}

/** Credits tokens with debt first, then the tokens that paid, last drawn first. The rest goes to the first token. */
function creditCents(model: Model, currency: string, row: Row, rows: readonly Row[], cents: bigint): void {
  const own = model.tokens.filter((token) => token.currency === currency)
  let left = cents
  const give = (token: Token, max: bigint) => {
    const given = min(left, atLeastZero(max))
    credit(model, token.address, 'network', given * cent(token))
    partOf(row.parts, token).settled += given
    left -= given
  }
  for (const token of own) {
    const owed = -bookOf(model, token.address).debt
    give(token, (owed + cent(token) - 1n) / cent(token))
  }
  for (const token of own.toReversed()) {
    const paid = total(rows.map(({ parts, credit }) => (parts.get(token.address)?.settled ?? 0n) * (credit ? -1n : 1n)))
    give(token, paid - partOf(row.parts, token).settled)
  }
  if (own[0]) give(own[0], left)
}
