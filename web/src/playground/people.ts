import { type Purser, PurserError } from '@purser/client'
import { type Owner, ownerClient } from '../lib/purser.ts'
import { type TestWallet, testWallet, testWalletKey } from '../lib/test-wallets.ts'
import type { Sandbox, SandboxPerson } from './sandbox.ts'

/** People whose wallets the page itself has, so that it can act as their owner. */

export type Cardholder = {
  readonly userId: string
  readonly cardId: string
  readonly purser: Purser
  readonly name: string
}

/** The test wallet of the sandbox's partner. It can sign in to the console of partners, too. */
const partnerWallet = 4

const phone = '+4915123456789'
const statement = 'Sign in to the playground.'
const wallets: TestWallet[] = []
const owners = new Map<number, Owner>()

function wallet(number: number): TestWallet {
  for (let next = wallets.length + 1; next <= number; next++) wallets.push(testWallet(next))
  const found = wallets[number - 1]
  if (found === undefined) throw new RangeError('wallets are counted from 1')
  return found
}

function clientOf(number: number): Purser {
  const owner = owners.get(number) ?? ownerClient(wallet(number), statement)
  owners.set(number, owner)
  return owner.purser
}

/** Forgets the access tokens, which expire by the clock of the service. The next call signs in again. */
export function forgetTokens(): void {
  for (const { session } of owners.values()) session.setToken(null)
}

const searched = 200

/** Finds the test wallet that owns a user; null: another wallet owns it. */
function ownWallet({ owners }: Pick<SandboxPerson, 'owners'>): TestWallet | null {
  for (let number = 1; number <= searched; number++) {
    const each = wallet(number)
    if (owners.some((owner) => owner.toLowerCase() === each.address.toLowerCase())) return each
  }
  return null
}

export const nameOf = (person: SandboxPerson): string => ownWallet(person)?.name ?? `User ${person.userId.slice(-4)}`

/** Returns the client of a user's owner; null: the page does not have the wallet. */
export function ownerOf(person: Pick<SandboxPerson, 'owners'>): Purser | null {
  const own = ownWallet(person)
  return own === null ? null : clientOf(own.number)
}

/** Returns the private key of the test wallet that owns a user; null: another wallet owns the user. */
export function walletKeyOf(person: Pick<SandboxPerson, 'owners'>): string | null {
  const own = ownWallet(person)
  return own === null ? null : testWalletKey(own.number)
}

/** Creates a partner whose server is the sandbox itself, so that each event has a delivery. */
async function createPartner(): Promise<string> {
  const { partner } = clientOf(partnerWallet)
  try {
    const { partnerId } = await partner.create({ name: 'Sandbox partner' })
    await partner.webhooks.create({ url: `${location.origin}/sandbox/webhooks/receiver` })
    return partnerId
  } catch (error) {
    // Another page was faster, or somebody made a partner with this wallet.
    if (!(error instanceof PurserError) || error.kind !== 'conflict') throw error
    return (await partner.get()).partnerId
  }
}

/** The page has a sentence for its code. */
class NoWalletLeft extends Error {
  readonly code = 'NO_WALLET_LEFT'
}

/** Creates an onboarded user with the next test wallet that has none. All users of the page have the same partner. */
async function createPerson(sandbox: Sandbox, country = 'DE'): Promise<{ userId: string; number: number }> {
  const { data: known } = await sandbox.purser.sandbox.users.list({ limit: 100 })
  const colleague = known.find((person) => person.partnerId !== null && ownWallet(person) !== null)
  const partnerId = colleague?.partnerId ?? (await createPartner())
  const first = 1 + Math.max(0, ...known.map((person) => ownWallet(person)?.number ?? 0))
  for (let number = first; number <= searched; number++) {
    try {
      const { userId } = await sandbox.purser.sandbox.users.create({
        address: wallet(number).address,
        country,
        partnerId,
      })
      // An access token from before names no user: the wallet may have created the partner.
      owners.get(number)?.session.setToken(null)
      return { userId, number }
    } catch (error) {
      const isTaken = error instanceof PurserError && error.kind === 'conflict'
      if (!isTaken) throw error
    }
  }
  throw new NoWalletLeft()
}

/** Creates a user with money and a card. */
export async function createCardholder(
  sandbox: Sandbox,
  start: { currency: string; deposit: string },
): Promise<Cardholder> {
  const country = start.currency === 'GBP' ? 'GB' : start.currency === 'USD' ? 'US' : 'DE'
  const { userId, number } = await createPerson(sandbox, country)
  const purser = clientOf(number)
  const [{ cardId }] = await Promise.all([
    purser.cards.create({ cardName: 'Everyday', phone }),
    sandbox.deposit(userId, { amount: start.deposit, currency: start.currency }),
  ])
  return { userId, cardId, purser, name: wallet(number).name }
}

/** Adds the missing money and card to a user whose page was closed during the preparation. */
export async function completeCardholder(
  sandbox: Sandbox,
  person: SandboxPerson,
  start: { currency: string; deposit: string },
): Promise<Cardholder> {
  const own = ownWallet(person)
  if (own === null) return createCardholder(sandbox, start)
  const purser = clientOf(own.number)
  const { data: balances } = await purser.balances.list()
  const hasMoney = balances.some(({ spendable }) => spendable !== '0')
  if (!hasMoney) await sandbox.deposit(person.userId, { amount: start.deposit, currency: start.currency })
  const { cardId } = await purser.cards.create({ cardName: 'Everyday', phone })
  return { userId: person.userId, cardId, purser, name: own.name }
}

export async function createCard(person: SandboxPerson): Promise<string> {
  const purser = ownerOf(person)
  if (purser === null) throw new TypeError('Only the owner can create a card.')
  const isFirst = person.cards.length === 0
  const { cardId } = await purser.cards.create({
    cardName: `Card ${person.cards.length + 1}`,
    ...(isFirst && { phone }),
  })
  return cardId
}
