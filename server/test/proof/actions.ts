import { followChain, look, pass, screen, seeTransfer, settle, withdraw } from './model.ts'
import {
  type Card,
  type Message,
  type MessageType,
  type Model,
  spendableCents,
  spendableUnits,
  type Token,
} from './model-books.ts'
import { receive } from './model-cards.ts'
import { type Action, answered, type Memory, type Step, type Target, type User } from './steps.ts'

/** Turns a step into a request for the user's present resources. Returns null if there is nothing to do. */
export function actionOf(
  step: Step,
  user: number,
  account: User,
  model: Model,
  memory: Memory,
  target: Target,
): Action | null {
  const { does, which, cents, odds } = step
  switch (does) {
    case 'repeat':
      return repeat(target, memory, user, which, odds)
    case 'deposit':
      return deposit(target, account, model, memory, which, cents, odds)
    case 'look':
    case 'chain':
      return follow(target, account, model, does, which, odds)
    case 'screen': {
      const id = [...model.deposits.keys()].toReversed()[which % (model.deposits.size || 1)]
      const result = odds % 3 === 0 ? 'rejected' : 'approved'
      if (id === undefined) return null
      return {
        label: `screening reports deposit ${id} as ${result}`,
        send: () => target.sandbox('POST', `/deposits/${id}/screening`, { result }),
        expect: (now) => screen(now, found(now.deposits, id), result),
      }
    }
    case 'withdraw':
      return withdrawal(target, account, model, memory, which, cents, odds)
    case 'settle': {
      const id = [...model.withdrawals.keys()].slice(-3)[which % (Math.min(model.withdrawals.size, 3) || 1)]
      const outcome = odds % 3 === 0 ? 'failed' : 'completed'
      if (id === undefined) return null
      return {
        label: `withdrawal ${id} has ${outcome}`,
        send: () => target.sandbox('POST', `/withdrawals/${id}`, { outcome }),
        expect: (now) => settle(now, found(now.withdrawals, id), outcome),
      }
    }
    case 'block':
      return block(target, model.cards[which % model.cards.length], which % model.cards.length, odds)
    case 'account':
      return changeAccount(target, account, model, odds)
    case 'clock':
      return null
    default:
      return cardStep(step, user, model, memory, target)
  }
}

function cardStep(step: Step, user: number, model: Model, memory: Memory, target: Target): Action | null {
  const { does, which, cents, odds } = step
  const card = which % model.cards.length
  const message = (type: MessageType, code: string | null, more: Partial<Message> = {}) =>
    cardMessage(target, memory, user, model, {
      eventId: `event-${++memory.events}`,
      type,
      card,
      code: code ?? '',
      isNamed: code !== null,
      cents: BigInt(cents),
      currency: odds % 7 === 0 ? 'USD' : (model.cards[card]?.currency ?? 'EUR'),
      final: true,
      partial: false,
      ...more,
    })
  const fresh = () => `C${String(++memory.codes).padStart(5, '0')}`
  const used = [...model.codes.keys()].flatMap((name) => (name.startsWith(`${card} `) ? [name.slice(2)] : [])).slice(-5)
  const open = used.filter((name) => model.codes.get(`${card} ${name}`)?.payment?.status === 'pending')
  const among = odds % 2 === 0 && open.length > 0 ? open : used
  const known = among[which % (among.length || 1)]
  // Mostly a known code. A new code makes this message arrive before its authorization.
  const mostlyKnown = known !== undefined && odds % 100 < 85 ? known : fresh()

  switch (does) {
    case 'authorize': {
      const currency = model.cards[card]?.currency ?? 'EUR'
      const code = odds % 10 < 2 ? null : odds % 10 < 5 ? mostlyKnown : fresh()
      if (odds % 13 === 0) return message('single_message', code)
      if (odds % 13 === 1) return message('authorization', code, { cents: spendableCents(model, currency), currency })
      if (odds % 13 < 4) return message('authorization', code, { partial: true, currency, cents: BigInt(cents) * 5n })
      return message('authorization', code)
    }
    case 'raise':
      return message(odds % 2 === 0 ? 'incremental' : 'replacement', mostlyKnown)
    case 'reverse':
      return message('reversal', mostlyKnown, odds % 3 === 0 ? { cents: null } : { cents: BigInt(cents) / 2n })
    case 'clear':
      return message('clearing', odds % 11 === 0 ? fresh() : mostlyKnown, { final: odds % 5 > 2 })
    case 'advise':
      return message('advice', odds % 3 === 0 ? fresh() : mostlyKnown)
    case 'expire':
      return message('expiry', mostlyKnown, { cents: null })
    case 'refund':
      return message('refund', odds % 4 === 0 ? null : mostlyKnown)
    case 'take back':
      return message(odds % 2 === 0 ? 'refund_reversal' : 'clearing_cancellation', mostlyKnown, {
        cents: BigInt(cents) / 3n,
      })
    default:
      return null
  }
}

/** Moves the clock of all users in steps of 12 hours, so that the duration of the test itself never matters. */
export function clockAction(target: Target, { which }: Step): Action & { seconds: number } {
  const seconds = 43_200 * (1 + (which % 12))
  return {
    seconds,
    label: `${seconds / 3600} hours pass`,
    send: () => target.sandbox('POST', '/clock', { advanceSeconds: seconds }),
    expect: (model) => {
      pass(model, seconds)
      return 'passed'
    },
  }
}

const classes = ['5999', '7011', '5541']

/**
 * Returns the merchant class of a code. Every message carries it, so that the order of messages does not matter. Codes
 * that the service generates share one class, because the class is sent before the code exists.
 */
function classOf(code: string): string {
  return /^C[0-9]{5}$/.test(code) ? (classes[Number(code.slice(-1)) % 3] ?? '5999') : '5999'
}

function cardMessage(target: Target, memory: Memory, user: number, model: Model, message: Message): Action {
  const { type, code, cents } = message
  const amount = cents === null ? {} : { [type === 'replacement' ? 'replacement_amount' : 'amount']: major(cents) }
  const body = {
    transaction_type: type,
    card_id: model.cards[message.card]?.id,
    currency: message.currency,
    event_id: message.eventId,
    merchant_code: classOf(code),
    ...amount,
    ...(code === '' ? {} : { authorization_code: code }),
    ...(type === 'clearing' ? { final: message.final } : {}),
    ...(message.partial ? { partial_allowed: true } : {}),
  }
  return sending(target, memory, user, message, body)
}

function sending(
  target: Target,
  memory: Memory,
  user: number,
  message: Message,
  body: Record<string, unknown>,
): Action {
  return {
    label: JSON.stringify(body),
    send: () => target.sandbox('POST', '/transactions', body),
    expect(model, answer) {
      const code = message.code === '' ? String(answer.body?.authorization_code ?? '') : message.code
      const outcome = receive(model, { ...message, code }, classOf(message.code))
      if (answer.status !== 200) return outcome
      const text = memory.texts.get(message.eventId)
      if (text === undefined) {
        memory.texts.set(message.eventId, answer.text)
        memory.sent.push({ user, message, body })
      }
      return text === undefined || text === answer.text ? outcome : `the bytes ${text}`
    },
  }
}

/** Repeats a message. The same body gets the same response; a different body is rejected. */
function repeat(target: Target, memory: Memory, user: number, which: number, odds: number): Action | null {
  const own = memory.sent.filter((one) => one.user === user)
  const sent = own.toReversed()[which % (Math.min(own.length, 8) || 1)]
  if (!sent) return null
  if (odds % 4 > 0) return sending(target, memory, user, sent.message, sent.body)
  const body = { ...sent.body, merchant_name: `Not ${sent.message.eventId}` }
  return {
    label: `again with another body: ${JSON.stringify(body)}`,
    send: () => target.sandbox('POST', '/transactions', body),
    expect: () => '409 EVENT_ID_REUSED',
  }
}

const results = ['approved', 'approved', 'approved', 'rejected', 'pending'] as const

function deposit(
  target: Target,
  account: User,
  model: Model,
  memory: Memory,
  which: number,
  cents: number,
  odds: number,
): Action | null {
  const token = tokenOf(model, which, odds)
  const dust = odds % 4 === 0 ? BigInt(odds) : 0n
  const units = (BigInt(cents) * 3n + 1n) * cent(token) + dust
  const transfer = { token: token.address, units, sender: results[odds % results.length] ?? 'approved' }
  const { inside } = target
  const says = inside !== null && odds % 2 === 0 ? 'unfinal' : 'final'
  const reversed = [...model.deposits.entries()].toReversed()
  const [oldId, old] = reversed[which % (reversed.length || 1)] ?? []
  if (inside !== null && odds % 10 === 0 && oldId !== undefined && old !== undefined) {
    return {
      label: `the transfer of deposit ${oldId} is seen again`,
      send: async () => answered(201, { depositId: await inside.see(account, oldId, { ...old }) }),
      expect(now) {
        seeTransfer(now, oldId, { ...old })
        return `seen ${oldId}`
      },
    }
  }
  const id = `transfer-${++memory.events}`
  return {
    label: `${units} units of ${token.symbol} arrive (chain: ${says}, screening: ${transfer.sender})`,
    async send() {
      if (inside === null) {
        const body = { userId: account.userId, token: token.address, amount: String(units), result: transfer.sender }
        return target.sandbox('POST', '/deposits', body, id)
      }
      const depositId = await inside.see(account, id, transfer)
      await inside.chain(account, depositId, says)
      await inside.look(account, depositId)
      return answered(201, { depositId })
    },
    expect(now, { body }) {
      const { depositId } = body
      seeTransfer(now, depositId, { ...transfer, says })
      const seen = found(now.deposits, depositId)
      followChain(now, seen)
      look(now, seen)
      return `seen ${depositId}`
    },
  }
}

function follow(
  target: Target,
  account: User,
  model: Model,
  does: 'look' | 'chain',
  which: number,
  odds: number,
): Action | null {
  const { inside } = target
  const id = [...model.deposits.keys()].toReversed()[which % (Math.min(model.deposits.size, 6) || 1)]
  if (id === undefined || inside === null) return null
  if (does === 'look') {
    return {
      label: `the open results of deposit ${id} are queried`,
      send: async () => {
        await inside.look(account, id)
        return answered(200, {})
      },
      expect(now) {
        look(now, found(now.deposits, id))
        return 'done'
      },
    }
  }
  const says = (['final', 'final', 'unfinal', 'reorganized'] as const)[odds % 4] ?? 'final'
  return {
    label: `the chain reports deposit ${id} as ${says}`,
    send: async () => {
      await inside.chain(account, id, says)
      return answered(200, {})
    },
    expect(now) {
      const deposit = found(now.deposits, id)
      deposit.says = says
      followChain(now, deposit)
      return 'done'
    },
  }
}

function withdrawal(
  target: Target,
  account: User,
  model: Model,
  memory: Memory,
  which: number,
  cents: number,
  odds: number,
): Action {
  const token = tokenOf(model, which, odds)
  const all = spendableUnits(model, token)
  // The whole spendable amount, one unit more, or any amount.
  const units = odds % 5 === 0 && all > 0n ? all : odds % 5 === 1 ? all + 1n : BigInt(cents + 1) * cent(token)
  const key = `withdrawal-${++memory.events}`
  return {
    label: `${units} units of ${token.symbol} are withdrawn`,
    send: () => target.withdraw(account, token.address, units, key),
    expect(now, { body }) {
      const outcome = withdraw(now, token.address, units)
      if (outcome !== 'accepted') return outcome
      now.withdrawals.set(String(body?.withdrawalId), { token: token.address, units, status: 'pending' })
      return `accepted ${body?.withdrawalId}`
    },
  }
}

function block(target: Target, card: Card | undefined, index: number, odds: number): Action | null {
  if (!card || card.end !== null) return null
  const path = `/cards/${card.id}`
  if (odds % 40 === 0) {
    const status = (['lost', 'stolen', 'expired'] as const)[odds % 3] ?? 'lost'
    return {
      label: `card ${index} is ${status}`,
      send: () => target.sandbox('POST', `${path}/status`, { status }),
      expect(model) {
        const card = found(model.cards, index)
        card.end = status
        card.blockers.clear()
        return 'done'
      },
    }
  }
  const by = odds % 2 === 0 ? 'issuer' : 'compliance'
  const verb = odds % 3 === 0 ? 'block' : 'unblock'
  return {
    label: `${by}: ${verb} card ${index}`,
    send: () => target.sandbox('POST', `${path}/${verb}`, { by }),
    expect(model) {
      const { blockers, end } = found(model.cards, index)
      if (end !== null) return '422 INVALID_CARD_STATUS'
      if (verb === 'block') blockers.add(by)
      else blockers.delete(by)
      return 'done'
    },
  }
}

function changeAccount(target: Target, { userId }: User, model: Model, odds: number): Action | null {
  if (odds % 2 === 0) {
    const isKnown = odds % 6 > 0
    return {
      label: isKnown ? 'identity approved' : 'identity in doubt',
      send: () => target.sandbox('PATCH', `/users/${userId}`, { kyc: isKnown ? 'approved' : 'requiresAction' }),
      expect(now) {
        now.isKnown = isKnown
        return 'done'
      },
    }
  }
  if (model.account === 'closed') return null
  const status = odds % 50 === 1 ? 'closed' : odds % 3 === 0 ? 'blocked' : 'active'
  // In another process a worker may send the withdrawal before or after the block, which the model cannot predict.
  if (target.inside === null && status !== 'active') return null
  return {
    label: `account ${status}`,
    send: () => target.sandbox('PATCH', `/users/${userId}`, { accountStatus: status }),
    expect(now) {
      if (now.account === 'closed' && status !== 'closed') return '409 INVALID_ACCOUNT_STATUS'
      now.account = status
      return 'done'
    },
  }
}

function found<T>(held: ReadonlyMap<string, T> | readonly T[], key: string | number): T {
  const value = Array.isArray(held) ? held[Number(key)] : (held as ReadonlyMap<string, T>).get(String(key))
  if (value === undefined) throw new Error(`the model has no ${key}`)
  return value
}

/** Returns a token, mostly one of the first card's currency. */
function tokenOf({ tokens, cards }: Model, which: number, odds: number): Token {
  const own = tokens.filter(({ currency }) => currency === cards[0]?.currency || odds % 9 === 0)
  const token = own[which % own.length]
  if (!token) throw new Error('no token')
  return token
}

const cent = ({ decimals }: Token) => 10n ** BigInt(decimals - 2)

function major(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}
