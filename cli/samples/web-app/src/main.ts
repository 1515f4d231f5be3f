import {
  type Card,
  createPurser,
  eip1193Wallet,
  formatAmount,
  moneyOf,
  PurserError,
  simulator,
  walletSession,
} from '@purser/client'

const baseUrl = import.meta.env.VITE_PURSER_URL ?? 'http://localhost:8080'

function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no element ${id}`)
  return found as T
}

const show = (message: string) => {
  element('message').textContent = message
}

/** Runs the work of a button, and shows what went wrong. */
async function attempt(button: HTMLButtonElement | null, work: () => Promise<void>): Promise<void> {
  if (button) button.disabled = true
  try {
    await work()
  } catch (error) {
    show(error instanceof PurserError ? `${error.code}: ${error.message}` : String(error))
  } finally {
    if (button) button.disabled = false
  }
}

const provider = window.ethereum
if (provider === undefined) {
  show('Install a browser wallet, and open this page again.')
  element('sign-in').hidden = true
}
const wallet = eip1193Wallet(provider ?? { request: () => Promise.reject(new Error('There is no wallet.')) })
const session = walletSession(wallet)
const purser = createPurser({ baseUrl, auth: [session, simulator()] })

async function signIn(): Promise<void> {
  show('Sign the message in your wallet.')
  await session.signIn()
  try {
    await purser.user.get()
  } catch (error) {
    if (!(error instanceof PurserError) || error.code !== 'NOT_REGISTERED') throw error
    await createTestUser()
  }
  element('sign-in').hidden = true
  element('account').hidden = false
  show('')
  await refresh()
}

/** In the sandbox, the simulator takes the place of the onboarding, and sends a deposit. */
async function createTestUser(): Promise<void> {
  const programme = await purser.programme.get()
  if (programme.mode !== 'sandbox') throw new Error('Register first. See docs/guides/first-card.md of Purser.')
  const address = typeof wallet.address === 'string' ? wallet.address : await wallet.address()
  const { userId } = await purser.sandbox.users.create({ address })
  const [token] = (await purser.sandbox.tokens.list()).data
  if (token)
    await purser.sandbox.deposits.create({ userId, token: token.address, amount: `25${'0'.repeat(token.decimals)}` })
  await session.signIn()
}

async function refresh(): Promise<void> {
  const [balances, cards, items] = await Promise.all([
    purser.balances.list(),
    purser.cards.list(),
    purser.statement.list().toArray({ limit: 5 }),
  ])
  element('balances').replaceChildren(
    ...balances.data.flatMap(({ currency, spendable, decimals }) => [
      textElement('dt', currency),
      textElement('dd', formatAmount({ amount: BigInt(spendable), decimals }, { fractionDigits: 2 })),
    ]),
  )
  showCard(cards.data[0])
  element('statement').replaceChildren(
    ...items.map((item) => {
      const row = document.createElement('li')
      const amount = `${item.isCredit ? '+' : '−'}${formatAmount(moneyOf(item), { fractionDigits: 2 })} ${item.currency}`
      row.append(textElement('span', item.description), textElement('span', amount))
      return row
    }),
  )
}

function showCard(card: Card | undefined): void {
  element('new-card').hidden = card !== undefined
  element('card').replaceChildren()
  if (card === undefined) return
  const isBlocked = card.status === 'blocked'
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = isBlocked ? 'Unblock' : 'Block'
  button.onclick = () =>
    attempt(button, async () => {
      await (isBlocked ? purser.cards.unblock(card.cardId) : purser.cards.block(card.cardId))
      await refresh()
    })
  const number = card.last4 === null ? 'being created' : `•••• ${card.last4}`
  element('card').append(textElement('p', `${card.cardName}  ${number}  (${card.status})`), button)
}

/** Texts of users and merchants are never HTML. */
function textElement(name: string, text: string): HTMLElement {
  const made = document.createElement(name)
  made.textContent = text
  return made
}

const signInButton = element<HTMLButtonElement>('sign-in')
signInButton.onclick = () => attempt(signInButton, signIn)
element<HTMLFormElement>('new-card').onsubmit = (event) => {
  event.preventDefault()
  const form = new FormData(element<HTMLFormElement>('new-card'))
  const button = document.querySelector<HTMLButtonElement>('#new-card button')
  void attempt(button, async () => {
    await purser.cards.create({ cardName: String(form.get('name')), phone: String(form.get('phone')) })
    await refresh()
  })
}

declare global {
  interface Window {
    ethereum?: Parameters<typeof eip1193Wallet>[0]
  }
}
