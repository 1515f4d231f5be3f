import { PurserError, parseAmount, simulator, walletSession } from '../../../client/src/index.ts'
import { type Command, Failure, type Given, UsageError } from '../command.ts'
import { type Context, clientOf, userClient } from '../context.ts'
import { secondsOf } from '../durations.ts'
import type { SandboxUser } from '../settings.ts'

/**
 * One step of the simulator per command. `sandbox user` selects the current user. The other commands act on that user
 * by default.
 */
const ofUser = { name: 'user', value: 'id', description: 'The user, by default the current sandbox user' }
const ofCard = { name: 'card', value: 'id', description: 'The card, by default that of the current sandbox user' }
const code = {
  name: 'code',
  value: 'code',
  description: 'The authorization code of six letters or digits, by default that of the last payment',
}
const currency = { name: 'currency', value: 'currency', description: 'The currency, by default EUR' }
const amount = { name: 'amount', description: 'The amount in major units, such as 9.99' }

export const sandboxCommands: readonly Command[] = [
  {
    name: 'sandbox user',
    summary: 'Creates an onboarded user with a card, and makes the user current',
    options: [
      { name: 'country', value: 'code', description: 'The country of the user, such as DE' },
      { name: 'partner', value: 'id', description: 'The partner that brings the user' },
    ],
    run: createUser,
  },
  {
    name: 'sandbox deposit',
    summary: 'Sends tokens to the account',
    arguments: [{ name: 'amount', description: 'The quantity of tokens, such as 25' }],
    options: [
      { name: 'token', value: 'symbol', description: 'The token, by default the first one' },
      {
        name: 'result',
        value: 'result',
        description: 'The result of the screening, by default approved',
        choices: ['approved', 'rejected', 'pending'],
      },
      ofUser,
    ],
    examples: ['sandbox deposit 25', 'sandbox deposit 100 --token USDC --result rejected'],
    run: deposit,
  },
  {
    name: 'sandbox pay',
    summary: 'Authorizes a card payment',
    arguments: [amount],
    options: [
      currency,
      { name: 'merchant', value: 'name', description: 'The name of the merchant' },
      { ...code, description: 'The authorization code of six letters or digits, otherwise generated' },
      ofCard,
    ],
    examples: ['sandbox pay 9.99 --merchant "Corner Shop"'],
    run: (context, given) => sendMessage(context, given, 'authorization'),
  },
  {
    name: 'sandbox clear',
    summary: 'Clears the last payment, or one by its code',
    detail: 'If the card has no such payment, it sends a forced clearing.',
    arguments: [amount],
    options: [currency, code, ofCard],
    run: (context, given) => sendMessage(context, given, 'clearing'),
  },
  {
    name: 'sandbox refund',
    summary: 'Refunds the last payment, or one by its code',
    detail: 'If the card has no such payment, it sends a refund without a reference to one.',
    arguments: [amount],
    options: [currency, code, ofCard],
    run: (context, given) => sendMessage(context, given, 'refund'),
  },
  {
    name: 'sandbox clock',
    summary: "Shows the service's time, or moves it forward and runs the work that became due",
    arguments: [{ name: 'duration', description: 'The time to move by: 90s, 15m, 12h or 31d', isOptional: true }],
    examples: ['sandbox clock 31d'],
    async run(context, given) {
      const purser = await userClient(context)
      const duration = given.optional('duration')
      const body = { advanceSeconds: duration === undefined ? 0 : secondsOf(duration) }
      const clock = duration === undefined ? purser.sandbox.clock.get() : purser.sandbox.clock.advance(body)
      const { now } = await clock
      context.out.result({ now }, [now])
    },
  },
  {
    name: 'sandbox crash',
    summary: 'Authorizes a payment of 1.00 and kills the service before it responds',
    detail:
      'The process ends as with kill -9. Start it again: the payment is on the statement once. A shared sandbox goes down for everybody.',
    options: [ofCard],
    run: crash,
  },
]

async function createUser(context: Context, given: Given): Promise<void> {
  const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts')
  const walletKey = generatePrivateKey()
  const wallet = privateKeyToAccount(walletKey)
  const { configuration } = context
  const [country, partnerId] = [given.optional('country'), given.optional('partner')]
  const session = walletSession(wallet, { domain: 'localhost', uri: 'http://localhost' })
  const purser = await clientOf(context, [session, simulator(await configuration.get('sandboxPassword'))])
  await configuration.requireWritable()
  const { userId, accountAddress } = await purser.sandbox.users.create({
    address: wallet.address,
    ...(country === undefined ? {} : { country }),
    ...(partnerId === undefined ? {} : { partnerId }),
  })
  const { cardId } = await purser.cards.create({ cardName: 'Sandbox', phone: '+4915123456789' })
  await configuration.setSandboxUser({ userId, accountAddress, walletKey, cardId })
  const user = { userId, accountAddress, cardId, owner: wallet.address }
  context.out.table(
    user,
    Object.entries(user).map(([name, value]) => [name, value]),
  )
}

async function deposit(context: Context, given: Given): Promise<void> {
  const purser = await userClient(context)
  const symbol = given.optional('token')
  const { data: tokens } = await purser.sandbox.tokens.list()
  const token = tokens.find((each) => symbol === undefined || each.symbol === symbol)
  if (token === undefined) {
    throw new UsageError(
      `"${symbol}" is not a token of this sandbox. Use ${tokens.map((each) => each.symbol).join(', ')}.`,
    )
  }
  const userId = given.optional('user') ?? (await currentUser(context)).userId
  const result = given.optional('result') as 'approved' | 'rejected' | 'pending' | undefined
  const made = await purser.sandbox.deposits.create({
    userId,
    token: token.address,
    amount: String(amountOf(given.text('amount'), token.decimals)),
    ...(result === undefined ? {} : { result }),
  })
  context.out.result(made, [`${given.text('amount')} ${token.symbol}: deposit ${made.depositId}`])
}

function amountOf(text: string, decimals: number): bigint {
  try {
    return parseAmount(text, decimals)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function sendMessage(context: Context, given: Given, type: 'authorization' | 'clearing' | 'refund') {
  const purser = await userClient(context)
  const cardId = given.optional('card') ?? (await currentUser(context)).cardId
  const merchant = given.optional('merchant')
  const current = await context.configuration.sandboxUser()
  const isFollowUp = type !== 'authorization'
  const last = isFollowUp && current?.cardId === cardId ? current.authorizationCode : undefined
  const typed = given.optional('code') ?? last
  const decision = await purser.sandbox.transactions.send({
    transaction_type: type,
    card_id: cardId,
    amount: given.text('amount'),
    currency: given.optional('currency') ?? 'EUR',
    ...(typed === undefined ? {} : { authorization_code: typed }),
    ...(merchant === undefined ? {} : { merchant_name: merchant }),
  })
  const { status, authorization_code: made, denial_code: reason, denial_reason: sentence } = decision
  if (current?.cardId === cardId) await context.configuration.setSandboxUser({ ...current, authorizationCode: made })
  const line = `${type} ${made}: ${status}${reason === undefined ? '' : ` (${reason}: ${sentence})`}`
  context.out.result(decision, [line], status === 'approved' ? 'green' : 'red')
}

async function crash(context: Context, given: Given): Promise<void> {
  const purser = await userClient(context)
  const cardId = given.optional('card') ?? (await currentUser(context)).cardId
  const eventId = crypto.randomUUID()
  const message = {
    transaction_type: 'authorization' as const,
    card_id: cardId,
    amount: '1.00',
    currency: 'EUR',
    event_id: eventId,
    fault: { crash: 'after_commit' as const },
  }
  // A service that was down before must not look like one that this command has killed.
  await purser.health.get()
  try {
    await purser.sandbox.transactions.send(message, { maxRetries: 0 })
  } catch (error) {
    if (!(error instanceof PurserError) || error.kind !== 'connection') throw error
    context.out.result({ eventId }, [`The service is down. The payment has the event id ${eventId}.`])
    return
  }
  throw new Failure('The service did not crash.')
}

async function currentUser({ configuration }: Context): Promise<SandboxUser> {
  const user = await configuration.sandboxUser()
  if (user === undefined) throw new UsageError('There is no current sandbox user. Run: purser sandbox user')
  return user
}
