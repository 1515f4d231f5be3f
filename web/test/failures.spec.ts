import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { keccak256, stringToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, expectAccessible, expectOnReturn, isOperation, test } from './fixtures.ts'
import { newUser } from './operator-world.ts'
import { newPartnerOwner, signInAsMember, walletAt } from './partner-world.ts'
import type { Service } from './service.ts'
import { installWallet } from './wallet.ts'

/** Screens while a part of the service is down, slow or busy. Some failures are real, and others are simulated. */

/** Opens the app as the owner of a new user with money. */
async function newOwner(page: Page, service: Service) {
  const account = await installWallet(page.context())
  const user = await newUser(service, { account })
  await user.deposit(100)
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByRole('region', { name: 'Spendable' }).getByText('€100.00')).toBeVisible()
  return user
}

const rateLimited = (seconds: number) => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  json: { success: false, error: 'RATE_LIMITED' },
})

const notPermitted = { status: 403, json: { success: false, error: 'NOT_PERMITTED' } }

async function sendWithdrawal(page: Page, amount: string) {
  await page.getByLabel('Amount').fill(amount)
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
}

/** A withdrawal in a list. A paid one has no badge. */
const withdrawal = (page: Page, amount: string) =>
  page.getByRole('main').getByRole('button', { name: 'Withdrawal' }).filter({ hasText: amount })
const waiting = /Pending|On its way/

test('while the service is down, the home page keeps its last state with its age, and then catches up', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/ERR_CONNECTION_REFUSED/)
  const user = await newOwner(page, service)
  await service.halt()
  const age = page.getByText(/^As of .+ The latest state could not be loaded\.$/).first()
  await expect(age).toBeVisible()
  await expect(page.getByText('€100.00').first()).toBeVisible()
  await expectAccessible(page)
  await service.restart()
  await user.deposit(5)
  await expect(page.getByRole('region', { name: 'Spendable' }).getByText('€105.00')).toBeVisible()
  await expect(age).toBeHidden()
})

test('an account in pounds never shows its euros as the spendable amount, even while the user cannot be read', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/403/)
  await newUser(service, { account: await installWallet(page.context()), country: 'GB' })
  await page.route('**/user', (route) => route.fulfill(notPermitted))
  const balances = page.waitForResponse('**/user/balances/v2')
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await balances
  const failure = page.getByRole('main').getByRole('alert')
  await expect(failure).toContainText('NOT_PERMITTED')
  const spendable = page.getByRole('region', { name: 'Spendable' })
  await expect(spendable).toHaveCount(0)
  await expectAccessible(page)
  await page.unroute('**/user')
  await failure.getByRole('button', { name: 'Try again' }).click()
  await expect(spendable.getByText('£0.00')).toBeVisible()
})

test('a wallet is neither added nor removed while the user cannot be read', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/403/)
  const { purser, signed, userId } = await newUser(service, { account: await installWallet(page.context()) })
  const other = privateKeyToAccount(generatePrivateKey())
  const proof = await signed(`Add this wallet as an owner of user ${userId}.`, other)
  const approval = await signed(`Add wallet ${other.address} as an owner of user ${userId}.`)
  await purser.owners.add({ ...proof, approval })
  await page.route('**/user', (route) => route.fulfill(notPermitted))
  await page.goto('/app/settings')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  const buttons = page.getByRole('button', { name: /^(Add owner|Remove)$/ })
  await expect(buttons).toHaveCount(3)
  for (const button of await buttons.all()) await expect(button).toBeDisabled()
  await page.unroute('**/user')
  await page.getByRole('button', { name: 'Try again' }).click()
  for (const button of await buttons.all()) await expect(button).toBeEnabled()
})

test('while the service is slow, placeholders keep the layout, and submitting again sends no second withdrawal', async ({
  page,
  service,
}) => {
  const user = await newOwner(page, service)
  const held: (() => void)[] = []
  let isSlow = true
  const answer = () => {
    isSlow = false
    for (const release of held.splice(0)) release()
  }
  const hold = (path: string) =>
    page.route(path, async (route) => {
      if (isSlow) await new Promise<void>((release) => held.push(release))
      await route.continue()
    })
  await hold('**/cards')
  await hold('**/user/balances/v2')
  await page.reload()
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  const loading = page.getByRole('status').filter({ hasText: 'Loading' })
  const heading = page.getByRole('heading', { name: 'Latest movements' })
  await expect(heading).toBeVisible()
  await expect(loading).toHaveCount(2)
  const before = await heading.boundingBox()
  answer()
  await expect(loading).toHaveCount(0)
  expect(await heading.boundingBox()).toEqual(before)

  await page.unroute('**/cards')
  await page.unroute('**/user/balances/v2')
  isSlow = true
  await hold('**/user/withdrawal')
  await page.getByRole('link', { name: 'Withdraw', exact: true }).first().click()
  await page.getByLabel('Amount').fill('12')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  const send = page.getByRole('button', { name: 'Review' })
  await expect(send).toHaveAttribute('aria-busy', 'true')
  await send.click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByLabel('Amount').press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(held).toHaveLength(1)
  answer()
  await expect(page.getByText('The withdrawal is accepted')).toBeVisible()
  expect((await user.purser.statement.list({ type: 'withdrawal' })).data).toHaveLength(1)
})

test('a withdrawal with a lost response stays unfinished while its repetitions are rate limited, and is sent once', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/ERR_FAILED|429/)
  const user = await newOwner(page, service)
  let requests = 0
  await page.route('**/user/withdrawal', async (route) => {
    requests += 1
    if (requests > 1) return route.fulfill(rateLimited(61))
    await route.fetch()
    await route.abort('failed')
  })
  await page.getByRole('link', { name: 'Withdraw', exact: true }).first().click()
  await sendWithdrawal(page, '12')
  const unfinished = page.getByRole('heading', { name: 'A withdrawal may be unfinished' })
  await expect(unfinished).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: /Try again in \d+ s/ })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Finish it' }).click()
  await expect.poll(() => requests).toBe(3)
  await expect(unfinished).toBeVisible()
  await page.unroute('**/user/withdrawal')
  await page.getByRole('button', { name: 'Finish it' }).click()
  await expect(page.getByText('The withdrawal is accepted')).toBeVisible()
  await expect(unfinished).toBeHidden()
  expect((await user.purser.statement.list({ type: 'withdrawal' })).data).toHaveLength(1)
})

test('a discarded withdrawal leaves no error below the form', async ({ page, service, expectedMessages }) => {
  expectedMessages.push(/ERR_FAILED/)
  await newOwner(page, service)
  await page.route('**/user/withdrawal', (route) => route.abort('failed'))
  await page.getByRole('link', { name: 'Withdraw', exact: true }).first().click()
  await sendWithdrawal(page, '12')
  await expect(page.getByRole('heading', { name: 'A withdrawal may be unfinished' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(1)
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByRole('button', { name: 'Review' })).toBeEnabled()
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0)
})

test('a card whose response is lost is created once, although the form is sent again', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/ERR_FAILED|429/)
  const user = await newOwner(page, service)
  let requests = 0
  await page.route('**/cards/virtual', async (route) => {
    requests += 1
    if (requests > 1) return route.fulfill(rateLimited(61))
    await route.fetch()
    await route.abort('failed')
  })
  await page.getByRole('link', { name: 'Cards', exact: true }).click()
  await page.getByRole('button', { name: 'New card' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name of the card').fill('Groceries')
  await form.getByLabel('Phone number').fill('+4915123456789')
  await form.getByRole('button', { name: 'New card' }).click()
  await expect(form.getByRole('alert')).toContainText(/Try again in \d+ s/)
  await page.unroute('**/cards/virtual')
  await form.getByRole('button', { name: 'New card' }).click()
  await expect(page.getByRole('heading', { name: 'Groceries' })).toBeVisible()
  expect((await user.purser.cards.list()).data).toHaveLength(1)
})

test('a card that is created after its dialog was closed appears in the list, and its page does not open', async ({
  page,
  service,
}) => {
  await newOwner(page, service)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/cards/virtual', async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('link', { name: 'Cards', exact: true }).click()
  const form = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New card' }).click()
  await form.getByLabel('Name of the card').fill('Groceries')
  await form.getByLabel('Phone number').fill('+4915123456789')
  await form.getByRole('button', { name: 'New card' }).click()
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'New card' }).click()
  await form.getByLabel('Name of the card').fill('Travel')
  release()
  await expect(page.getByRole('main').getByText('Groceries')).toBeVisible()
  // The page sends its requests in order, so those of another page would come before this one.
  await page.evaluate(() => fetch('/api/v1/auth/nonce'))
  await expect(form.getByLabel('Name of the card')).toHaveValue('Travel')
  await expect(page).toHaveURL(/\/cards$/)
})

test('a wallet enters the console even if the response to its sign-up or to accepting an invitation is lost', async ({
  page,
  newPerson,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/ERR_FAILED|403|429/)
  const loseResponse = async (of: Page, path: RegExp) => {
    let requests = 0
    await of.route(path, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      requests += 1
      if (requests > 1) return route.fulfill(rateLimited(61))
      await route.fetch()
      await route.abort('failed')
    })
  }
  const enter = async (of: Page) => {
    await of.goto('/console/partner')
    await of.getByRole('button', { name: 'Story Wallet' }).click()
  }
  const owner = walletAt(service, await installWallet(page.context()))
  await loseResponse(page, /\d\/partner$/)
  await enter(page)
  await page.getByLabel('Name of the company').fill('Northwind Pay')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Northwind Pay')

  const invited = await newPerson()
  const { address } = await installWallet(invited.context())
  await owner.purser.partner.invitations.create({ address, role: 'viewer' })
  await loseResponse(invited, /\/invitations\//)
  await enter(invited)
  await invited.getByRole('button', { name: 'Accept' }).click()
  await expect(invited.getByRole('heading', { level: 1 })).toHaveText('Northwind Pay')
})

test('a registration whose response is lost continues after a new sign-in', async ({ page, expectedMessages }) => {
  expectedMessages.push(/ERR_FAILED|422/)
  await installWallet(page.context())
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  const email = page.getByLabel('Email address')
  await email.fill(`lost-${Date.now()}@example.com`)
  await page.getByRole('button', { name: 'Send code' }).click()
  const code = page.getByLabel('Code from the email')
  await code.fill('000000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('This code is wrong or expired.', { exact: false })).toBeVisible()
  await page.getByRole('button', { name: 'Use another address' }).click()
  await page.getByRole('button', { name: 'Send code' }).click()
  await expect(code).toHaveValue('')
  await expect(page.getByText('This code is wrong or expired.', { exact: false })).toBeHidden()
  await code.fill('123456')
  await page.route('**/user', async (route) => {
    await route.fetch()
    await route.abort('failed')
  })
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('The service cannot be reached.', { exact: false })).toBeVisible()
  await page.unroute('**/user')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in again' }).click()
  await expect(page.getByRole('heading', { name: 'Accept the terms' })).toBeVisible()
})

test('a new code is sent to the same address, and the form keeps its input if the code cannot be sent', async ({
  page,
  expectedMessages,
}) => {
  expectedMessages.push(/422|429/)
  await installWallet(page.context())
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  const email = `again-${Date.now()}@example.com`
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  const code = page.getByLabel('Code from the email')
  await code.fill('000000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  const wrong = page.getByText('This code is wrong or expired.', { exact: false })
  await expect(wrong).toBeVisible()
  await page.route('**/email-verification', (route) => route.fulfill(rateLimited(61)))
  await page.getByRole('button', { name: 'Send a new code' }).click()
  await expect(page.getByText(/^Try again in \d+ s$/)).toBeVisible()
  await expect(code).toHaveValue('000000')
  await page.unroute('**/email-verification')
  await page.getByRole('button', { name: 'Send a new code' }).click()
  await expect(page.getByText(`We sent a new code to ${email}.`, { exact: false })).toBeVisible()
  await expect(code).toHaveValue('')
  await expect(wrong).toBeHidden()
  await expectAccessible(page)
  await code.fill('123456')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('heading', { name: 'Accept the terms' })).toBeVisible()
})

test('a wallet that was registered in another window continues after a new sign-in', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/409/)
  const { purser } = walletAt(service, await installWallet(page.context()))
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  const email = `twice-${Date.now()}@example.com`
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByLabel('Code from the email').fill('123456')
  const other = `other-${email}`
  await purser.user.sendEmailCode({ email: other })
  await purser.user.create({ email: other, otp: '123456' })
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('This wallet is already registered.', { exact: false })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in again' }).click()
  await expect(page.getByRole('heading', { name: 'Accept the terms' })).toBeVisible()
})

/** Registers a user whose next step is the identity check. */
async function registerForCheck(page: Page, service: Service) {
  const { purser } = walletAt(service, await installWallet(page.context()))
  const email = `waits-${Date.now()}@example.com`
  await purser.user.sendEmailCode({ email })
  const { userId } = await purser.user.create({ email, otp: '123456' })
  const { terms } = await purser.terms.listAccepted()
  await purser.terms.accept({ terms: terms.map(({ type, version }) => ({ type, version })) })
  return userId
}

test('a page at the identity check polls every 30 seconds, but moves on at once when the person returns to it', async ({
  page,
  service,
}) => {
  await page.clock.install()
  const userId = await registerForCheck(page, service)
  let requests = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/user/onboarding')) requests += 1
  })
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  const start = page.getByRole('link', { name: 'Start the check' })
  await expect(start).toBeVisible()
  const before = requests
  // Each of these requests costs the service two requests to the identity provider.
  await page.clock.fastForward(10_000)
  // The page sends its requests in order, so those of a poll would come before this one.
  await page.evaluate(() => fetch('/api/v1/auth/nonce'))
  expect(requests).toBe(before)
  await page.clock.fastForward(30_000)
  await expect.poll(() => requests).toBe(before + 1)
  await service.sandbox('PATCH', `/users/${userId}`, { kyc: 'approved' })
  await expectOnReturn(page, (options) => expect(start).toBeHidden(options))
  await expect(page.getByRole('heading', { name: 'Where does your money come from?' })).toBeVisible()
})

test('while the identity provider does not respond, a new user reads that the check is not available', async ({
  page,
  service,
}) => {
  await registerForCheck(page, service)
  await page.route('**/user/onboarding', (route) => route.fulfill({ json: { status: 'waiting_kyc_setup' } }))
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByText('The identity check is not available at the moment.', { exact: false })).toBeVisible()
  await expect(page.getByText('Your documents are being reviewed.', { exact: false })).toBeHidden()
  await expectAccessible(page)
  await page.unroute('**/user/onboarding')
  await expectOnReturn(page, (options) =>
    expect(page.getByRole('link', { name: 'Start the check' })).toBeVisible(options),
  )
})

test('each wallet of a browser finishes its own withdrawal', async ({ page, service, expectedMessages }) => {
  expectedMessages.push(/ERR_FAILED/)
  const ada = await newUser(service, {
    account: privateKeyToAccount(keccak256(stringToHex('purser sandbox wallet 1'))),
  })
  await ada.deposit(50)
  const user = await newOwner(page, service)
  const withdrawAs = async (wallet: string) => {
    await page.goto('/app/withdraw')
    await page.getByRole('button', { name: wallet }).click()
  }
  const unfinished = page.getByRole('heading', { name: 'A withdrawal may be unfinished' })
  await page.route('**/user/withdrawal', async (route) => {
    await route.fetch()
    await route.abort('failed')
  })
  for (const wallet of ['Story Wallet', 'Ada']) {
    await withdrawAs(wallet)
    await sendWithdrawal(page, '12')
    await expect(unfinished).toBeVisible()
  }
  await page.unroute('**/user/withdrawal')
  for (const wallet of ['Ada', 'Story Wallet']) {
    await withdrawAs(wallet)
    await page.getByRole('button', { name: 'Finish it' }).click()
    await expect(page.getByText('The withdrawal is accepted')).toBeVisible()
  }
  for (const { purser } of [ada, user]) {
    expect((await purser.statement.list({ type: 'withdrawal' })).data).toHaveLength(1)
  }
})

test('without a network, a page reports the lost connection instead of loading forever, and continues when it is back', async ({
  page,
  context,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/ERR_INTERNET_DISCONNECTED/)
  await newOwner(page, service)
  // Loads the files of this page.
  await page.getByRole('link', { name: 'Statement', exact: true }).click()
  await expect(page.getByText('This is the beginning of your account.')).toBeVisible()
  await page.getByRole('link', { name: 'Cards', exact: true }).click()
  await page.getByRole('button', { name: 'New card' }).click()
  await page.getByLabel('Name of the card').fill('Groceries')
  await page.getByLabel('Phone number').fill('+4915123456789')
  await context.setOffline(true)
  await page.getByRole('dialog').getByRole('button', { name: 'New card' }).click()
  const failure = page.getByText('The service cannot be reached. Check your connection, then try again.')
  await expect(failure).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Statement', exact: true }).click()
  await page.getByLabel('Type').selectOption('withdrawal')
  await expect(failure).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await expect(failure).toBeHidden()
})

test('a page that is first opened without a network reports the lost connection, and opens when the network is back', async ({
  page,
  context,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/ERR_INTERNET_DISCONNECTED|the page was not loaded/)
  await newOwner(page, service)
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  const failure = page.getByText('The service cannot be reached. Check your connection, then try again.')
  await expect(failure).toBeVisible()
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
})

test('a rate-limited screen counts down at once, and asks again only when the service allows it', async ({
  page,
  expectedMessages,
}) => {
  expectedMessages.push(/429/)
  await page.clock.install()
  let requests = 0
  await page.route('**/operator/signing-keys', async (route) => {
    requests += 1
    await route.fulfill(rateLimited(60))
  })
  await page.goto('/console/operator')
  await page.getByRole('button', { name: 'Sandbox operator' }).click()
  await page.getByRole('link', { name: 'Signing keys', exact: true }).click()
  await expect(page.getByText('Too many requests. Wait a moment.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Try again in \d+ s$/ })).toBeDisabled()
  await expectAccessible(page)
  expect(requests).toBe(1)
  await page.unroute('**/operator/signing-keys')
  await page.clock.fastForward(60_000)
  await page.getByRole('button', { name: 'Try again', exact: true }).click()
  await expect(page.getByRole('table', { name: 'Signing keys' })).toBeVisible()
})

test('a rate-limited page keeps its data, and does not poll before the service allows it', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/429/)
  await page.clock.install()
  await newOwner(page, service)
  let requests = 0
  await page.route('**/user/balances/v2', async (route) => {
    requests += 1
    await route.fulfill(rateLimited(60))
  })
  const retry = page.getByRole('button', { name: /^Try again in \d+ s$/ })
  await expect(retry).toBeDisabled()
  await expect(page.getByRole('region', { name: 'Spendable' }).getByText('€100.00')).toBeVisible()
  await expectAccessible(page)
  await page.clock.fastForward(30_000)
  // The poll of the statement goes on.
  await page.waitForResponse('**/user/statement?*')
  expect(requests).toBe(1)
  await page.unroute('**/user/balances/v2')
  await page.clock.fastForward(40_000)
  await expect(retry).toBeHidden()
  await expect(page.getByText(/^As of /)).toBeHidden()
})

test('a member whose session expires in the middle of a form signs in again, and the form is sent', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/401/)
  const { purser } = await newPartnerOwner(page, service)
  await signInAsMember(page, '/members')
  await page.getByRole('button', { name: 'Invite a member' }).click()
  const form = page.getByRole('dialog', { name: 'Invite a member' })
  const { address } = walletAt(service)
  await form.getByLabel('Address of the wallet').fill(address)
  await service.sandbox('POST', '/clock', { advanceSeconds: 7_200 })
  await form.getByRole('button', { name: 'Invite a member' }).click()
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await expect(form).toBeHidden()
  const { data } = await purser.partner.invitations.list()
  expect(data.map((invitation) => invitation.address.toLowerCase())).toEqual([address.toLowerCase()])
})

test('a member who declines the new sign-in is not asked again before a request of their own', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/401/)
  await page.clock.install()
  const { purser } = await newPartnerOwner(page, service)
  await signInAsMember(page, '/domains')
  await expect(page.getByText('No domains yet')).toBeVisible()
  await service.sandbox('POST', '/clock', { advanceSeconds: 7_200 })
  const ended = page.getByRole('dialog', { name: 'Your session has ended' })
  await page.clock.fastForward(30_000)
  await expect(ended).toBeVisible()
  await ended.getByRole('button', { name: 'Close' }).click()
  const again = page.getByRole('button', { name: 'Try again' }).first()
  await expect(again).toBeVisible()

  let requests = 0
  page.on('request', (request) => {
    if (isOperation(new URL(request.url()))) requests += 1
  })
  await page.clock.fastForward(120_000)
  // The page sends its requests in order, so those of a poll would come before this one.
  await page.evaluate(() => fetch('/api/v1/auth/nonce'))
  expect(requests).toBe(1)
  await expect(ended).toHaveCount(0)

  await again.click()
  await ended.getByRole('button', { name: 'Sign in again' }).click()
  await expect(again).toBeHidden()
  await purser.partner.domains.claim({ domain: 'app.invalid', environment: 'sandbox' })
  await page.clock.fastForward(30_000)
  await expect(page.getByText('app.invalid', { exact: true }).first()).toBeVisible()
})

test('the dialog that revokes an API key ignores an earlier request that revokes another key', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/403/)
  const { purser } = await newPartnerOwner(page, service)
  const create = (name: string) => purser.partner.apiKeys.create({ name, scopes: ['users:read'] })
  const { keyId } = await create('Shop')
  await create('Leaked')
  await create('Archive')
  const valid = async () =>
    (await purser.partner.apiKeys.list()).data.filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name)
  await signInAsMember(page, '/api-keys')
  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name })
  const ask = (name: string) => rowOf(name).getByRole('button', { name: 'Revoke' }).click()
  const dialog = page.getByRole('dialog')
  const confirm = () => dialog.getByRole('button', { name: 'Revoke' }).click()

  await page.route(`**/partner/api-keys/${keyId}`, (route) => route.fulfill(notPermitted))
  await ask('Shop')
  await confirm()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await ask('Leaked')
  await expect(dialog).toContainText('Revoke “Leaked”?')
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  await confirm()
  await expect(dialog).toBeHidden()
  await expect(rowOf('Leaked')).toHaveCount(0)
  expect((await valid()).toSorted()).toEqual(['Archive', 'Shop'])

  await page.unroute(`**/partner/api-keys/${keyId}`)
  const held: (() => void)[] = []
  await page.route(`**/partner/api-keys/${keyId}`, async (route) => {
    await new Promise<void>((release) => held.push(release))
    await route.continue()
  })
  await ask('Shop')
  await confirm()
  await expect.poll(() => held.length).toBe(1)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await ask('Archive')
  for (const release of held) release()
  await expect(rowOf('Shop')).toHaveCount(0)
  await expect(dialog).toContainText('Revoke “Archive”?')
  await confirm()
  await expect(dialog).toBeHidden()
  expect(await valid()).toEqual([])
})

test('the page reports that the other version of a conflict cannot be read, and a retry shows the conflict', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/403|409/)
  const { purser } = await newPartnerOwner(page, service)
  const { endpointId } = await purser.partner.webhooks.create({ url: 'http://localhost:9/hook' })
  await signInAsMember(page, `/webhooks/${endpointId}?tab=settings`)
  await page.getByLabel('Description').fill('Ledger')
  await purser.partner.webhooks.update(endpointId, { description: 'Accounting' })
  const path = new RegExp(`\\d/partner/webhooks/${endpointId}$`)
  await page.route(path, (route) =>
    route.request().method() === 'GET' ? route.fulfill(notPermitted) : route.continue(),
  )
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const failure = page.getByRole('alert')
  await expect(failure).toContainText('NOT_PERMITTED')
  await page.unroute(path)
  await failure.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('alert')).toContainText('Another member has changed this endpoint')
  expect(await purser.partner.webhooks.get(endpointId)).toMatchObject({ description: 'Accounting' })
})

test('the retry of a failed resend by time continues where the resend stopped, and counts each delivery once', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/409/)
  const { purser } = await newPartnerOwner(page, service)
  const { endpointId } = await purser.partner.webhooks.create({ url: 'http://localhost:9/hook' })
  // One request resends 10,000 deliveries, so the parts are simulated.
  const cursors: unknown[] = []
  const parts = [{ deliveries: 3, nextCursor: 'next' }, null, null, { deliveries: 2, nextCursor: null }]
  await page.route(`**/partner/webhooks/${endpointId}/resend`, (route) => {
    cursors.push(route.request().postDataJSON().cursor)
    const part = parts.shift() ?? null
    return route.fulfill(
      part === null ? { status: 409, json: { success: false, error: 'ENDPOINT_DISABLED' } } : { json: part },
    )
  })
  await signInAsMember(page, `/webhooks/${endpointId}`)
  await page.getByRole('button', { name: 'Resend by time' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('status')).toHaveText('')
  const failed = async (requests: number) => {
    await expect.poll(() => cursors.length).toBe(requests)
    await expect(dialog.getByRole('alert')).toContainText('ENDPOINT_DISABLED')
  }
  await dialog.getByRole('button', { name: 'Resend' }).click()
  await failed(2)
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await failed(3)
  // The button of the form continues, too.
  await dialog.getByRole('button', { name: 'Resend' }).click()
  await expect(dialog.getByRole('status')).toHaveText('5 deliveries are on their way again.')
  expect(cursors).toEqual([undefined, 'next', 'next', 'next'])
})

/** Freezes the chain's process to simulate a node that hangs. Returns the function that continues the process. */
async function freezeChain({ folder }: Service): Promise<() => void> {
  const [pid] = (await readFile(join(folder, 'chain/anvil.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGSTOP')
  return () => process.kill(Number(pid), 'SIGCONT')
}

test('a withdrawal stays visible while the worker is stopped and while the chain hangs, and is paid afterwards', async ({
  page,
  newPerson,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/ERR_CONNECTION_REFUSED/)
  const user = await newOwner(page, service)
  await service.halt()
  await service.restart({ ROLES: 'api' })
  await user.withdraw(10)
  await page.getByRole('link', { name: 'Withdraw', exact: true }).first().click()
  await expect(withdrawal(page, '10.00')).toContainText('Pending')
  const operator = await newPerson()
  await operator.goto('/console/operator/chains')
  await operator.getByRole('button', { name: 'Sandbox operator' }).click()
  await expect(operator.getByText('No process reads this chain. Deposits wait until one does.')).toBeVisible()
  await expectAccessible(operator)
  await service.halt()
  await service.restart()
  await expect(withdrawal(page, '10.00')).not.toContainText(waiting, { timeout: 60_000 })

  const resume = await freezeChain(service)
  try {
    await user.withdraw(20)
    await expect(withdrawal(page, '20.00')).toContainText(waiting)
    await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0)
  } finally {
    resume()
  }
  await expect(withdrawal(page, '20.00')).not.toContainText(waiting, { timeout: 60_000 })
})

test('a further page that cannot be read is reported below the rows, and the button reads it again', async ({
  page,
  newPerson,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/403/)
  const { purser } = await newPartnerOwner(page, service)
  await purser.partner.rename({ name: 'Northwind Pay' })
  /** Pretends that the list goes on. */
  const cut = async (of: Page, list: string, next: object) => {
    const further: string[] = []
    await of.route(
      ({ pathname }) => pathname === list,
      async (route) => {
        const { searchParams } = new URL(route.request().url())
        const place = searchParams.get('cursor') ?? searchParams.get('after')
        if (place !== null) {
          const end = { json: { data: [], pagination: { nextCursor: null, hasNext: false } } }
          return route.fulfill(further.push(place) === 1 ? notPermitted : end)
        }
        const response = await route.fetch()
        const { data } = await response.json()
        return route.fulfill({ response, json: { data, pagination: { ...next, hasNext: true } } })
      },
    )
    return further
  }
  const expectRetry = async (of: Page, further: readonly string[]) => {
    const more = of.getByRole('main').getByRole('button', { name: 'Show more' })
    const failure = of.getByRole('main').getByRole('alert')
    await more.click()
    await expect(failure).toBeVisible()
    await expect(of.getByText(/^As of /)).toHaveCount(0)
    await expect(of.getByRole('main').getByRole('button', { name: 'Try again' })).toHaveCount(0)
    await expectAccessible(of)
    await more.click()
    await expect(failure).toHaveCount(0)
    await expect(more).toHaveCount(0)
    expect(further[1]).toBe(further[0])
    expect(further).toHaveLength(2)
  }
  const audit = await cut(page, '/partner/audit', {})
  await signInAsMember(page, '/audit')
  await expectRetry(page, audit)
  const operator = await newPerson()
  const partners = await cut(operator, '/operator/partners', { nextCursor: 'next' })
  await operator.goto('/console/operator/partners')
  await operator.getByRole('button', { name: 'Sandbox operator' }).click()
  await expectRetry(operator, partners)
})

test('if the removal of an endpoint completes after its page was left, the page that is open does not change', async ({
  page,
  service,
}) => {
  const { purser } = await newPartnerOwner(page, service)
  const { endpointId } = await purser.partner.webhooks.create({ url: 'http://localhost:9/hook' })
  await signInAsMember(page, `/webhooks/${endpointId}`)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(`**/partner/webhooks/${endpointId}`, async (route) => {
    if (route.request().method() === 'DELETE') await held
    await route.continue()
  })
  await page.getByRole('main').getByRole('button', { name: 'Remove' }).click()
  const dialog = page.getByRole('dialog')
  const removed = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const menu = page.getByRole('navigation', { name: 'Menu' })
  await menu.getByRole('link', { name: 'Members', exact: true }).click()
  release()
  await removed
  // The page sends its requests in order, so those of another page would come before this one.
  await page.evaluate(() => fetch('/api/v1/auth/nonce'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Members')
  await expect(page).toHaveURL(/\/members$/)
})

test('the page of an endpoint polls its deliveries less often while no attempt is due soon', async ({
  page,
  service,
}) => {
  await page.clock.install()
  const { purser } = await newPartnerOwner(page, service)
  const { endpointId } = await purser.partner.webhooks.create({ url: 'http://localhost:9/hook' })
  await purser.partner.webhooks.test(endpointId, { type: 'deposit.approved' })
  let requests = 0
  let isNear = false
  await page.route(`**/partner/webhooks/${endpointId}/deliveries?*`, async (route) => {
    requests += 1
    const response = await route.fetch()
    const { data, ...rest }: { data: object[] } = await response.json()
    const nextAttemptAt = isNear ? await page.evaluate(() => new Date().toISOString()) : '2099-01-01T00:00:00.000Z'
    await route.fulfill({
      response,
      json: { ...rest, data: data.map((one) => ({ ...one, status: 'pending', nextAttemptAt })) },
    })
  })
  await signInAsMember(page, `/webhooks/${endpointId}`)
  await expect(page.getByRole('cell', { name: 'Pending' })).toBeVisible()
  const before = requests
  await page.clock.fastForward(3_000)
  // The page sends its requests in order, so those of a poll would come before this one.
  await page.evaluate(() => fetch('/api/v1/auth/nonce'))
  expect(requests).toBe(before)
  isNear = true
  await page.clock.fastForward(12_000)
  await expect.poll(() => requests).toBeGreaterThan(before + 1)
})
