import type { Page, Request } from '@playwright/test'
import { falsify } from './database.ts'
import { expect, expectAccessible, expectAccessibleInBoth, test } from './fixtures.ts'
import { newCardholder, newPartner, newUser } from './operator-world.ts'
import { addOperator, eurToken, operatorAt, propose } from './operators.ts'
import { smallest } from './small.ts'
import { installWallet } from './wallet.ts'

/** The stories of operators, in the sandbox's console. */

/** Opens a screen, by default as the built-in test operator, who is an admin. */
async function open(page: Page, path = '', wallet = 'Sandbox operator') {
  await page.goto(`/console/operator${path}`)
  await page.getByRole('button', { name: wallet }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
}

const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text })
const tab = (page: Page, name: string) => page.getByRole('navigation', { name: 'User' }).getByRole('link', { name })

/** Signs a change in the open dialog. */
async function sign(page: Page, reason: string) {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByText('Your signature makes this change at once.')).toBeVisible()
  await expect(dialog).toContainText(reason)
  await dialog.getByRole('button', { name: 'Sign' }).click()
}

async function signAndClose(page: Page, reason: string) {
  await sign(page, reason)
  await page.getByRole('dialog').getByText('Close', { exact: true }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
}

test('an operator signs in with a cookie, sees the work list, and signs out', async ({ page }) => {
  await page.goto('/console/operator')
  await expect(page.getByRole('heading', { name: 'Sign in as an operator' })).toBeVisible()
  await expectAccessible(page)
  await open(page)
  await expect(page.getByRole('heading', { name: 'Work list' })).toBeVisible()
  await expect(page.getByText('Admin', { exact: true })).toBeVisible()
  await expectAccessibleInBoth(page)
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  )
  expect(stored).not.toContain('pso_')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Work list' })).toBeVisible()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await expect(page.getByText('This session')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in as an operator' })).toBeVisible()
})

test('a screen of operators that nobody uses sends no request, so that the session ends', async ({ page }) => {
  await page.clock.install()
  await open(page)
  const requests: string[] = []
  const unanswered = new Set<Request>()
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch') unanswered.add(request)
    // Files of the pages need no session, so they do not prolong it.
    if (!request.url().includes('/assets/')) requests.push(request.url())
  })
  page.on('requestfinished', (request) => unanswered.delete(request))
  page.on('requestfailed', (request) => unanswered.delete(request))
  async function requestsWithin(milliseconds: number) {
    requests.length = 0
    await page.clock.runFor(milliseconds)
    // The page sends its requests in order, so this request comes after all those that the elapsed time caused.
    await page.evaluate(async () => (await fetch('/health')).text())
    await expect.poll(() => unanswered.size).toBe(0)
    return requests.filter((url) => !url.endsWith('/health'))
  }
  const links = page.locator('nav a[href^="/console/operator"]')
  const screens = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect(screens.length).toBeGreaterThan(10)
  for (const screen of screens) {
    unanswered.clear()
    await page.goto(String(screen))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[aria-busy], .skeleton')).toHaveCount(0)
    // A screen may read more after its first response. It has loaded when a whole second passes without a request.
    while ((await requestsWithin(1000)).length > 0);
    expect(await requestsWithin(60_000), String(screen)).toEqual([])
  }
})

test('a user is found by eleven kinds of identifiers, and an operator reveals the masked data for a recorded reason', async ({
  page,
  service,
}) => {
  const partner = await newPartner(service)
  const email = `ada-${Date.now()}@example.com`
  const ada = await newCardholder(service, { partnerId: partner.partnerId, email })
  const { userId, cardId, account, accountAddress } = ada
  await ada.send('authorization', '10.00', 'FIND01')
  const { depositId, txHash } = await ada.deposit(5)
  const { withdrawalId } = await ada.withdraw(3)
  const { purser } = operatorAt(service)
  const [card] = (await purser.operator.users.listCards(userId)).data
  const expiry = `${String(card?.expiryMonth).padStart(2, '0')}/${Number(card?.expiryYear) % 100}`
  const payoutHash = async () => (await purser.operator.users.listWithdrawals(userId)).data[0]?.txHash ?? ''
  await expect.poll(payoutHash).not.toBe('')
  const eventId = async () => (await partner.purser.partner.events.list({ userId })).data[0]?.id ?? ''
  await expect.poll(eventId).not.toBe('')

  await open(page)
  const field = page.getByRole('searchbox', { name: 'Search' })
  for (const [text, kind, name] of [
    [userId, 'User', 'user id'],
    [account.address, 'User', 'wallet'],
    [accountAddress, 'User', 'deposit address'],
    [email.toUpperCase(), 'User', 'email address'],
    [cardId, 'Card', 'card id'],
    [`${card?.last4} ${expiry}`, 'Card', 'last digits and expiry'],
    ['FIND01', 'Card transaction', 'authorization code'],
    [depositId, 'Deposit', 'deposit id'],
    [txHash, 'Deposit', 'transaction hash'],
    [withdrawalId, 'Payout', 'withdrawal id'],
    [await payoutHash(), 'Payout', 'transaction hash'],
    [await eventId(), 'Event', 'event id'],
  ] as const) {
    await field.fill(text)
    await field.press('Enter')
    const found = page.getByRole('table', { name: 'Results' }).getByRole('row').filter({ hasText: name })
    await expect(found, text).toHaveCount(1)
    await expect(found.getByRole('cell').first()).toContainText(kind)
    await expect(found.getByRole('link').last()).toHaveAttribute('title', userId)
  }
  await expectAccessible(page)
  // The found row is marked in its tab.
  await field.fill(withdrawalId)
  await field.press('Enter')
  await row(page, 'withdrawal id').getByRole('link').first().click()
  await expect(page.getByText('The link leads to the marked row.')).toBeVisible()
  await expect(page.locator('tr[aria-current]')).toContainText('3.00 EURe')
  await field.fill(email.slice(1))
  await field.press('Enter')
  await expect(page.getByText('Nothing matches this text')).toBeVisible()
  await expectAccessible(page)

  await page.goto(`/console/operator/users/${userId}`)
  await expect(page.getByText('a•••@e•••.com')).toBeVisible()
  expect(await page.content()).not.toContain(email)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Reveal' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('  ')
  await dialog.getByRole('button', { name: 'Reveal' }).click()
  await expect(dialog).toBeVisible()
  expect((await purser.operator.reads.list({ userId })).data).toEqual([])
  await expectAccessible(page)
  const reason = 'The caller asks which address we have'
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: 'Reveal' }).click()
  await expect(page.getByText(email)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Hide' }).click()
  await expect(page.getByText(email)).toBeHidden()
  await page.getByRole('link', { name: 'Who read it' }).click()
  await expect(row(page, reason)).toContainText('Admin')
  await expect(page).toHaveURL(new RegExp(`userId=${userId}`))
  await expectAccessible(page)
})

test('revealed personal data of one user never appears on the page of another user', async ({ page, service }) => {
  const emailOf = (name: string) => `${name}-${Date.now()}@example.com`
  const [ada, bob] = [emailOf('ada'), emailOf('bob')]
  const { userId: first } = await newUser(service, { email: ada })
  const { userId: second } = await newUser(service, { email: bob })
  await open(page, `/users/${first}`)
  await expect(page.getByText('a•••@e•••.com')).toBeVisible()
  const field = page.getByRole('searchbox', { name: 'Search' })
  await field.fill(second)
  await field.press('Enter')
  await row(page, 'user id').getByRole('link').first().click()
  await expect(page.getByText('b•••@e•••.com')).toBeVisible()
  await page.getByRole('button', { name: 'Reveal' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('The caller asks which address we have')
  await dialog.getByRole('button', { name: 'Reveal' }).click()
  await expect(page.getByText(bob)).toBeVisible()
  // The history of the browser leads from one user to the other without a screen in between.
  await page.evaluate(() => history.go(-2))
  await expect(page.getByRole('heading', { level: 1 }).getByTitle(first)).toBeVisible()
  await expect(page.getByText('a•••@e•••.com')).toBeVisible()
  await expect(page.getByText(bob)).toHaveCount(0)
})

test('a sign-out that fails says so and keeps the session, and a session that has ended already is no failure', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/401|403/)
  await open(page)
  const signOut = page.getByRole('button', { name: 'Sign out' })
  await page.route('**/operator/sessions/*', (route) =>
    route.fulfill({ status: 403, json: { success: false, error: 'ORIGIN_NOT_ALLOWED' } }),
  )
  await signOut.click()
  await expect(page.getByRole('alert').getByRole('link', { name: 'ORIGIN_NOT_ALLOWED' })).toBeVisible()
  await expectAccessible(page)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Work list' })).toBeVisible()
  await page.unroute('**/operator/sessions/*')
  const { sessions } = operatorAt(service).purser.operator
  for (const { sessionId } of (await sessions.list()).data) await sessions.end(sessionId).catch(() => undefined)
  await signOut.click()
  await expect(page.getByRole('heading', { name: 'Sign in as an operator' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in as an operator' })).toBeVisible()
})

test('an amount in minor units is not shown until the decimals of its currency are known', async ({
  page,
  service,
}) => {
  const { userId, cardId, purser } = await newCardholder(service, { money: 0 })
  await purser.cards.setLimits(cardId, { perTransaction: '2000', daily: null })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/programme', async (route) => {
    await held
    const response = await route.fetch()
    const { limits, ...rest } = await response.json()
    const currencies = limits.currencies.map((each: object) => ({ ...each, decimals: 0 }))
    await route.fulfill({ response, json: { ...rest, limits: { ...limits, currencies } } })
  })
  await open(page, `/users/${userId}/cards`)
  const cell = page.getByRole('cell').filter({ hasText: 'per payment' })
  await expect(cell).toBeVisible()
  await expect(cell).not.toContainText('20')
  release()
  await expect(cell).toContainText('€2,000')
})

test('an amount whose currency cannot be read is shown in minor units', async ({ page, service, expectedMessages }) => {
  expectedMessages.push(/503/)
  const { userId, cardId, purser } = await newCardholder(service, { money: 0 })
  await purser.cards.setLimits(cardId, { perTransaction: '2000', daily: null })
  await page.route('**/programme', (route) =>
    route.fulfill({ status: 503, json: { success: false, error: 'UNAVAILABLE' } }),
  )
  await open(page, `/users/${userId}/cards`)
  const cell = page.getByRole('cell').filter({ hasText: 'per payment' })
  await expect(cell).toContainText('2,000 minor units of EUR')
})

test('an over-cleared payment is reviewed: its fold and postings are shown, and a signature closes the review', async ({
  page,
  service,
}) => {
  const user = await newCardholder(service, { money: 50 })
  await user.send('authorization', '10.00', 'OVER01')
  await user.send('clearing', '28.00', 'OVER01')
  await open(page)
  await page.getByRole('link', { name: 'Reviews of card transactions' }).click()
  const short = `${user.userId.slice(0, 6)}…${user.userId.slice(-4)}`
  await expect(row(page, short)).toContainText('€28.00')
  await expectAccessible(page)
  await row(page, short).getByRole('link', { name: 'Payment' }).click()

  const authorization = page.getByRole('article', { name: 'Message 1' })
  await expect(authorization).toContainText('Held€0.00 → €10.00')
  await expect(authorization).toContainText('−10.00 EURe')
  const clearing = page.getByRole('article', { name: 'Message 2' })
  await expect(clearing).toContainText('Held€10.00 → €0.00')
  await expect(clearing).toContainText('Settled€0.00 → €28.00')
  const postings = clearing.getByRole('table')
  await expect(row(page, 'Held for cards').filter({ hasText: 'Owed to the card network' })).toContainText('10.00 EURe')
  await expect(postings.getByRole('row', { name: /^Available/ })).toContainText('18.00 EURe')
  await expectAccessible(page)

  await clearing.getByRole('link', { name: /^Movement/ }).click()
  const effect = page.getByRole('table', { name: 'Effect on the ledger accounts' })
  await expect(effect.getByRole('row', { name: /^Owed to the card network/ })).toContainText('+28.00 EURe')
  await expect(effect.getByRole('row', { name: /^Sum/ })).toContainText('0.00 EURe')
  await expectAccessible(page)
  await page.goBack()

  await page.getByRole('button', { name: 'Close the review' }).click()
  await expectAccessible(page)
  await signAndClose(page, 'The merchant sent the receipt')
  await expect(page.getByRole('button', { name: 'Close the review' })).toBeHidden()
  await expect(page.getByText('This card transaction needs a review.', { exact: false })).toBeHidden()
  await page.getByRole('link', { name: 'Reviews', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Reviews' })).toBeVisible()
  await expect(row(page, short)).toHaveCount(0)
})

test('a blocked user gets no payout and no approval, its partner gets the event, and unblocking allows payments again', async ({
  page,
  service,
}) => {
  const operator = operatorAt(service)
  const turnPayouts = (state: 'on' | 'off') =>
    propose(operator, { command: `switch payouts ${state}`, subject: 'payouts', reason: 'The story needs it' })
  const partner = await newPartner(service)
  const user = await newCardholder(service, { partnerId: partner.partnerId })
  // While the switch is off, the withdrawal stays pending.
  await turnPayouts('off')
  await user.withdraw(40)
  await open(page, `/users/${user.userId}/withdrawals`)
  await expect(row(page, '40.00 EURe')).toContainText('Pending')

  await page.getByRole('button', { name: 'Block the user' }).press('Enter')
  await expectAccessible(page)
  await sign(page, 'A stolen key')
  await expect(page.getByRole('dialog')).toContainText('is blocked')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Blocked')
  expect(await user.send('authorization', '1.00', 'BLCK01')).toMatchObject({ status: 'denied', denial_code: 'CND' })
  await turnPayouts('on')
  // A withdrawal that waits for the switch is tried every 30 seconds.
  await service.sandbox('POST', '/clock', { advanceSeconds: 31 })
  const status = async () => (await operator.purser.operator.users.listWithdrawals(user.userId)).data[0]?.status
  await expect.poll(status, { timeout: 60_000 }).toBe('failed')
  await page.reload()
  await expect(row(page, '40.00 EURe')).toContainText('Failed')
  await expectAccessible(page)

  const types = async () =>
    (await partner.purser.partner.events.list({ userId: user.userId })).data.map(({ type }) => type)
  await expect.poll(types).toContain('account.blocked')
  await tab(page, 'Events').click()
  await expect(row(page, 'account.blocked')).toHaveCount(1)
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Unblock the user' }).click()
  await signAndClose(page, 'The owner has a new key')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Active')
  expect(await user.send('authorization', '1.00', 'OKAY01')).toMatchObject({ status: 'approved' })
  await tab(page, 'Decisions').click()
  await expect(row(page, 'A stolen key')).toContainText('Block the user')
  await expect(row(page, 'The owner has a new key')).toContainText('Unblock the user')
  await expectAccessible(page)
})

test('the dialog of a decision focuses its field, then the facts to sign, and announces the outcome', async ({
  page,
  service,
}) => {
  const { userId } = await newUser(service)
  await open(page, `/users/${userId}`)
  await page.getByRole('button', { name: 'Block the user' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await page.keyboard.type('A stolen key')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('region', { name: 'Block the user' })).toBeFocused()
  // Screen readers announce a text only in a region that was there before.
  const outcome = await dialog.locator('form > [role="status"]').elementHandle()
  expect(await outcome?.textContent()).toBe('')
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await expect(dialog.getByText('Close', { exact: true })).toBeFocused()
  expect(await outcome?.textContent()).toContain('is blocked')
})

test('a revoked session, another origin and a stolen cookie decide nothing', async ({
  page,
  service,
  browser,
  baseURL,
  expectedMessages,
}) => {
  expectedMessages.push(/401/)
  const { purser } = operatorAt(service)
  const user = await newCardholder(service, { money: 0 })
  const wallet = await installWallet(page.context())
  await addOperator(service, wallet.address, 'support', 'Grace')
  const path = `/users/${user.userId}`
  await open(page, path, 'Story Wallet')
  const body = { command: 'user block', subject: user.userId, reason: 'An attack' }
  const send = (headers: Record<string, string>, data: object = body) =>
    page.context().request.post('/operator/proposals', { headers, data })
  const fromConsole = { origin: service.url, 'sec-fetch-site': 'same-origin', 'x-purser-console': '1' }

  // Each request carries the operator's cookie, but comes from another origin or lacks the header.
  for (const headers of [
    { ...fromConsole, origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' },
    { ...fromConsole, origin: 'https://attacker.example' },
    { origin: service.url, 'sec-fetch-site': 'same-origin' },
  ])
    expect((await send(headers)).status()).toBe(403)

  // The cookie alone prepares a decision, but signs none.
  const prepared = await send(fromConsole)
  expect(prepared.status()).toBe(200)
  const { stateHash, expires } = await prepared.json()
  const signature = `0x${'11'.repeat(64)}1b`
  const forged = await send(fromConsole, { ...body, signed: { stateHash, expires, signature } })
  expect(await forged.json()).toMatchObject({ error: 'DECISION_NOT_SIGNED' })
  const thief = await browser.newContext({
    storageState: await page.context().storageState(),
    ...(baseURL !== undefined && { baseURL }),
  })
  const stolen = await thief.newPage()
  await stolen.goto(`/console/operator${path}`)
  await stolen.getByRole('button', { name: 'Block the user' }).click()
  await sign(stolen, 'An attack')
  await expect(stolen.getByText('The wallet that signed in is not in this browser.', { exact: false })).toBeVisible()
  await thief.close()

  // An admin ends the session while its operator fills in a form.
  await page.getByRole('button', { name: 'Block the user' }).click()
  await page.getByLabel('Reason').fill('A stolen key')
  const own = (await purser.operator.sessions.list()).data.filter(({ address }) => address === wallet.address)
  for (const { sessionId } of own) await purser.operator.sessions.end(sessionId)
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Your session has ended' })).toBeVisible()
  await expectAccessible(page)
  expect((await send(fromConsole)).status()).toBe(401)
  const proposals = (await purser.operator.proposals.list()).data.filter(({ subject }) => subject === user.userId)
  expect(proposals).toEqual([])
  expect((await purser.operator.users.get(user.userId)).accountStatus).toBe('active')

  // The form has kept its input, and a new signature continues it.
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('Your signature makes this change at once.')).toBeVisible()
  await expect(dialog).toContainText('A stolen key')
})

test('a forbidden screen names the missing permission, and a viewer sees no buttons', async ({ page, service }) => {
  const user = await newCardholder(service, { money: 50 })
  await user.send('authorization', '10.00', 'VIEW01')
  await user.send('clearing', '28.00', 'VIEW01')
  await user.deposit(7, 'rejected')
  const wallet = await installWallet(page.context())
  await addOperator(service, wallet.address, 'viewer', 'Vera')
  await open(page, '/reads', 'Story Wallet')
  await expect(page.getByText('This screen needs the permission reads:read')).toBeVisible()
  await expectAccessible(page)
  for (const [path, shown] of [
    [`/users/${user.userId}`, 'Personal data'],
    [`/users/${user.userId}/deposits`, '7.00 EURe'],
    ['/reviews', '€28.00'],
  ] as const) {
    await page.goto(`/console/operator${path}`)
    await expect(page.getByText(shown).first()).toBeVisible()
    await expect(
      page.getByRole('main').getByRole('button', { name: /^(Block|Unblock|Reveal|Return|Close)/ }),
      path,
    ).toHaveCount(0)
  }
})

test('a list that fails says why and continues, and a long list says that there is more', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/503/)
  const user = await newCardholder(service)
  for (let number = 0; number < 26; number++) {
    await user.send('authorization', '1.00', `MANY${String(number).padStart(2, '0')}`)
    await user.send('clearing', '1.00', `MANY${String(number).padStart(2, '0')}`)
  }
  await page.route('**/movements*', (route) =>
    route.fulfill({
      status: 503,
      headers: { 'x-request-id': 'story-request' },
      json: { error: 'SERVICE_UNAVAILABLE' },
    }),
  )
  await open(page, `/users/${user.userId}/ledger`)
  await expect(page.getByRole('alert').getByTitle('story-request')).toBeVisible({ timeout: 60_000 })
  await expectAccessible(page)
  await page.unroute('**/movements*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('The first 50. There are more.')).toBeVisible()
  const time = row(page, 'Movement 54').locator('time')
  await expect(time).toHaveAttribute('title', /UTC$/)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByText('All 54 entries')).toBeVisible()
})

test('every screen about work and users is accessible in both appearances and fits 320 pixels', async ({
  page,
  service,
}) => {
  // Two checks of nineteen screens take minutes on a busy machine.
  test.setTimeout(600_000)
  const partner = await newPartner(service)
  const user = await newCardholder(service, { partnerId: partner.partnerId })
  await user.send('authorization', '10.00', 'CRAWL1')
  await user.send('incremental', '500.00', 'CRAWL1')
  await user.send('clearing', '4.00', 'CRAWL1')
  await user.send('reversal', '5.00', 'NOAUTH')
  await user.deposit(30, 'rejected')
  await user.deposit(20, 'pending')
  await user.withdraw(10)
  const payment = (await user.purser.statement.list({ type: 'card_transaction' })).data[0]?.id
  await open(page)
  await page.setViewportSize({ width: 320, height: 800 })
  const of = `/users/${user.userId}`
  for (const [path, heading] of [
    ['', 'Work list'],
    ['/reviews', 'Reviews'],
    ['/deposits', 'Deposits'],
    ['/deposits?state=waiting', 'Deposits'],
    ['/deposits?state=untold', 'Deposits'],
    ['/search', 'Search'],
    ['/users', 'Users'],
    [of, 'User'],
    [`${of}/cards`, 'User'],
    [`${of}/statement`, 'User'],
    [`${of}/deposits`, 'User'],
    [`${of}/withdrawals`, 'User'],
    [`${of}/ledger`, 'User'],
    [`${of}/movements/1`, 'User'],
    [`${of}/card-transactions/${payment}`, 'User'],
    [`${of}/events`, 'User'],
    [`${of}/decisions`, 'User'],
    ['/reads', 'Reads of personal data'],
    ['/sessions', 'Sessions'],
  ] as const) {
    await page.goto(`/console/operator${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText(heading)
    await expect(page.locator('[aria-busy]')).toHaveCount(0)
    await expectAccessibleInBoth(page)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect([path, width]).toEqual([path, 320])
  }
})

test('a rejected deposit is returned with a signature, and German operators read German', async ({ page, service }) => {
  const user = await newCardholder(service, { money: 0 })
  await user.deposit(13, 'rejected')
  await open(page, '/deposits')
  const deposit = row(page, '13.00 EURe')
  await expect(deposit).toContainText('Rejected')
  await deposit.getByRole('button', { name: 'Return' }).click()
  await signAndClose(page, 'Sent back to its sender')
  await expect(row(page, '13.00 EURe')).toHaveCount(0)
  await page.goto(`/console/operator/users/${user.userId}/withdrawals`)
  await expect(row(page, '13.00 EURe')).toContainText('Return')
  await page.getByText('Deutsch').click()
  await expect(row(page, '13,00 EURe')).toContainText('Rückzahlung')
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
})

test('an operator declares the arrived amount of a transfer with a decimal comma', async ({ page, service }) => {
  const { userId, accountAddress } = await newCardholder(service, { money: 0 })
  const { address } = await eurToken(service)
  const hash = `0x${'c4'.repeat(32)}`
  await falsify(
    service,
    `insert into incoming_transfer (user_id, chain_id, tx_hash, log_position, token, from_address, to_address,
       block_number, block_hash, chain_state, claimed, created_at, updated_at)
     values ($1, 100, $2, 3, $3, $4, $4, 7, $2, 'unfinal', 20 * 10::numeric ^ 18, now(), now()) returning user_id`,
    [userId, hash, address, accountAddress],
  )
  // An arrival can be declared once its block is final.
  await falsify(
    service,
    `insert into watched_chain (chain_id, seen_block, final_block, updated_at) values (100, 7, 7, now())
     on conflict (chain_id) do update set seen_block = 7, final_block = 7 returning chain_id`,
    [],
  )
  await open(page, '/deposits?state=untold')
  await page.getByText('Deutsch').click()
  await row(page, '20,00 EURe').getByRole('button', { name: 'Eingang angeben' }).click()
  const dialog = page.getByRole('dialog')
  // A German reader writes 12.500 for twelve thousand five hundred.
  await dialog.getByLabel('Eingegangener Betrag').fill('12.500')
  await dialog.getByRole('button', { name: 'Weiter' }).click()
  await expect(dialog).toContainText('ohne Tausenderpunkte')
  await dialog.getByLabel('Eingegangener Betrag').fill('12,5')
  await dialog.getByRole('button', { name: 'Weiter' }).click()
  await dialog.getByLabel('Grund').fill('Im Explorer nachgesehen')
  await dialog.getByRole('button', { name: 'Weiter' }).click()
  await expect(dialog).toContainText('12.5')
  await dialog.getByRole('button', { name: 'Signieren' }).click()
  await expect(dialog).toContainText('Erledigt.')
  await expect(dialog.locator('[lang="en"]')).toContainText('12.500000000000000000 EURe arrived')
  const { data } = await operatorAt(service).purser.operator.proposals.list({ status: 'executed', limit: 1 })
  expect(data).toMatchObject([{ outcome: expect.stringContaining('12.500000000000000000 EURe arrived') }])
  await falsify(service, 'delete from watched_chain where chain_id = 100 returning chain_id', [])
})

test('operators see every digit of an amount of tokens', async ({ page, service }) => {
  const { userId } = await newUser(service)
  const { address } = await eurToken(service)
  const deposit = { userId, token: address, amount: '12345678000000000000000001', result: 'approved' }
  await service.sandbox('POST', '/deposits', deposit)
  const amount = '12,345,678.000000000000000001 EURe'
  await open(page, `/users/${userId}/ledger`)
  await expect(page.getByRole('row', { name: /^Available/ })).toContainText(amount)
  await page.setViewportSize(smallest)
  for (const screen of ['ledger', 'movements/1', 'deposits']) {
    await page.goto(`/console/operator/users/${userId}/${screen}`)
    await expect(page.getByText(amount).first()).toBeVisible()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect([screen, width]).toEqual([screen, smallest.width])
  }
})
