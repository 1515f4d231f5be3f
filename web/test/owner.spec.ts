import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { createPurser, walletSession } from '@purser/client'
import { expect, expectAccessible, expectFrameAccessible, expectOnReturn, test } from './fixtures.ts'
import { press, type, withoutMouse } from './keyboard.ts'
import { newPartner } from './operator-world.ts'
import type { Service } from './service.ts'
import { installWallet } from './wallet.ts'

/** The stories of an owner: a wallet in the browser, a real service, a real chain. */

type Token = { readonly address: string; readonly currency: string; readonly decimals: number }

async function eurToken(service: Service): Promise<Token> {
  const { data } = await service.sandbox<{ data: Token[] }>('GET', '/tokens')
  const token = data.find(({ currency }) => currency === 'EUR')
  if (token === undefined) throw new Error('no token in EUR')
  return token
}

async function deposit(service: Service, userId: string, euros: number, result = 'approved') {
  const token = await eurToken(service)
  const amount = `${euros}${'0'.repeat(token.decimals)}`
  return service.sandbox<{ depositId: string }>('POST', '/deposits', { userId, token: token.address, amount, result })
}

async function signIn(page: Page) {
  await press(page.getByRole('button', { name: 'Story Wallet' }))
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible()
}

/** Opens the app as the owner of a new user with money and a card. */
async function newOwner(
  { page, service }: { page: Page; service: Service },
  { euros = 100, partnerId }: { euros?: number; partnerId?: string } = {},
) {
  const account = await installWallet(page.context())
  const { userId } = await service.sandbox<{ userId: string }>('POST', '/users', {
    address: account.address,
    country: 'DE',
    ...(partnerId !== undefined && { partnerId }),
  })
  const host = new URL(service.url).host
  const purser = createPurser({
    baseUrl: service.url,
    auth: walletSession(account, { domain: host, uri: service.url }),
  })
  const { cardId } = await purser.cards.create({ cardName: 'Everyday', phone: '+4915123456789' })
  if (euros > 0) await deposit(service, userId, euros)
  const send = (transaction_type: string, amount: string, authorization_code: string) =>
    service.sandbox('POST', '/transactions', {
      ...{ transaction_type, amount, authorization_code, card_id: cardId, currency: 'EUR' },
      merchant_name: 'Trattoria Sole',
    })
  await page.goto('/app/')
  await signIn(page)
  await expect(page.getByText('Latest movements')).toBeVisible()
  return { account, userId, cardId, purser, send }
}

test.describe('with the keyboard alone', () => {
  test.beforeEach(({ context }) => withoutMouse(context))

  test('a new wallet is onboarded, creates a card, and sees its number in a frame that the page cannot read', async ({
    page,
    service,
  }) => {
    await installWallet(page.context())
    await page.goto('/app/')
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    const testWallets = page.getByRole('region', { name: 'Test wallets Test' })
    await expect(testWallets.getByRole('button')).toHaveCount(4)
    await expect(testWallets).toContainText('Their keys are public.')
    await expectAccessible(page)
    await press(page.getByRole('button', { name: 'Story Wallet' }))
    const sent = page.getByRole('main').getByRole('status')
    await expect(page.getByLabel('Email address')).toBeFocused()
    await expect(sent).toHaveText('')
    await type(page.getByLabel('Email address'), `story-${Date.now()}@example.com`)
    await press(page.getByRole('button', { name: 'Send code' }))
    await expect(page.getByLabel('Code from the email')).toBeFocused()
    await expect(sent).toContainText('We sent a code to')
    await type(page.getByLabel('Code from the email'), '123456')
    await expectAccessible(page)
    await press(page.getByRole('button', { name: 'Confirm' }))
    await expect(page.getByRole('heading', { name: 'Accept the terms' })).toBeVisible()
    for (const box of await page.getByRole('checkbox').all()) await press(box, 'Space')
    await press(page.getByRole('button', { name: 'Accept and continue' }))
    const [check] = await Promise.all([
      page.waitForEvent('popup'),
      press(page.getByRole('link', { name: 'Start the check' })),
    ])
    await expectAccessible(check)
    await press(check.getByRole('button', { name: 'Approve' }))
    // Closing the page earlier could abort the request.
    await expect(check.getByRole('definition').filter({ hasText: 'Approved' })).toBeVisible()
    await check.close()
    await expectOnReturn(page, (options) =>
      expect(page.getByRole('heading', { name: 'Where does your money come from?' })).toBeVisible(options),
    )
    // The service knows the step, so the person can leave and continue.
    await page.reload()
    await signIn(page)
    await expect(page.getByRole('heading', { name: 'Where does your money come from?' })).toBeVisible()
    for (const select of await page.getByRole('combobox').all()) await press(select, 'ArrowDown')
    await expectAccessible(page)
    await press(page.getByRole('button', { name: 'Continue' }))
    await press(page.getByRole('button', { name: 'Open account' }))
    await expect(page.getByText('No movements yet')).toBeVisible()
    await expectAccessible(page)

    await press(page.getByRole('link', { name: 'Cards', exact: true }))
    await press(page.getByRole('button', { name: 'New card' }))
    await type(page.getByLabel('Name of the card'), 'Groceries')
    await type(page.getByLabel('Phone number'), '+49 1512 3456789')
    await press(page.getByRole('dialog').getByRole('button', { name: 'New card' }))
    await expect(page.getByRole('heading', { name: 'Groceries' })).toBeVisible()
    await expectAccessible(page)
    await press(page.getByRole('button', { name: 'Show number' }))
    const frame = page.frameLocator('iframe')
    await expect(frame.getByText('Card number')).toBeVisible()
    await expect(frame.getByText(/4000/).first()).toBeVisible()
    await expectFrameAccessible(page)
    const readable = await page.evaluate(() => document.querySelector('iframe')?.contentDocument ?? null)
    expect(readable).toBeNull()
    expect(await page.locator('iframe').getAttribute('src')).toContain(service.frameOrigin)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: 'Show number' })).toBeFocused()
  })

  test('a deposit becomes spendable without a reload, and a rejected one says why it is not', async ({
    page,
    service,
  }) => {
    const { userId } = await newOwner({ page, service }, { euros: 0 })
    const { depositId } = await deposit(service, userId, 25, 'pending')
    await expect(page.getByText('On its way in')).toBeVisible()
    await service.sandbox('POST', `/deposits/${depositId}/screening`, { result: 'approved' })
    await expect(page.getByRole('region', { name: 'Spendable' }).getByText('€25.00')).toBeVisible()
    await expect(page.getByText('On its way in')).toBeHidden()
    await deposit(service, userId, 10, 'rejected')
    await expect(page.getByText('Not spendable', { exact: true })).toBeVisible()
    await press(page.getByText('Why is this not spendable?'))
    await expect(page.getByText('Screening rejected a deposit.', { exact: false })).toBeVisible()
    await expectAccessible(page)
    await press(page.getByRole('button', { name: /Deposit Rejected/ }))
    await expect(page.getByText('Screening rejected this deposit, so it cannot be spent.')).toBeVisible()
    await press(page.getByRole('button', { name: 'Close' }))
    await press(page.getByRole('link', { name: 'Deposit', exact: true }).first())
    await expect(page.getByRole('img', { name: 'QR code of the address' })).toBeVisible()
    await expect(page.getByText(/on chain \d+/).first()).toBeVisible()
    await expect(page.getByText(/· Spendable (once|after)/).first()).toBeVisible()
    await expectAccessible(page)
  })

  test('a payment with a tip clears at a higher amount in the same row, its refund is a second row, and the history shows each step', async ({
    page,
    service,
  }) => {
    const { send } = await newOwner({ page, service })
    const rows = page.getByRole('link', { name: /Trattoria Sole/ })
    await send('authorization', '40.00', 'MEAL01')
    await expect(rows).toHaveCount(1)
    await expect(rows.first()).toContainText('€40.00')
    await send('clearing', '46.00', 'MEAL01')
    await expect(rows.first()).toContainText('€46.00')
    await expect(rows).toHaveCount(1)
    await send('refund', '6.00', 'MEAL01')
    await expect(rows).toHaveCount(2)
    await expect(page.getByRole('region', { name: 'Spendable' }).getByText('€60.00')).toBeVisible()
    await press(rows.nth(1))
    await expect(page.getByText('Message 2 of 2')).toBeVisible()
    await expect(page.getByRole('button', { name: /Authorization/ })).toContainText('€40.00')
    await expect(page.getByRole('button', { name: /Clearing/ })).toContainText('€46.00')
    await expectAccessible(page)
    await press(page.getByRole('slider'), 'ArrowLeft')
    await expect(page.getByText('Message 1 of 2')).toBeVisible()
  })

  test('a payment with a frozen card is shown as declined, and the owner cannot end a block by the issuer', async ({
    page,
    service,
    expectedMessages,
  }) => {
    expectedMessages.push(/403/)
    const { send, cardId } = await newOwner({ page, service })
    await press(page.getByRole('link', { name: 'Cards', exact: true }))
    await press(page.getByRole('link', { name: /Everyday/ }))
    await press(page.getByRole('button', { name: 'Freeze' }))
    await expect(page.getByText('You froze this card.', { exact: false })).toBeVisible()
    await expectAccessible(page)
    await send('authorization', '5.00', 'FRZN01')
    await expect(page.getByRole('link', { name: /Trattoria Sole/ })).toContainText('Declined')
    await press(page.getByRole('button', { name: 'Unfreeze' }))
    await expect(page.getByRole('button', { name: 'Freeze', exact: true })).toBeVisible()
    await service.sandbox('POST', `/cards/${cardId}/block`, { by: 'issuer' })
    await page.reload()
    await signIn(page)
    await expect(page.getByText('The issuer blocked this card.', { exact: false })).toBeVisible()
    await press(page.getByRole('button', { name: 'Freeze', exact: true }))
    await press(page.getByRole('button', { name: 'Unfreeze' }))
    await expect(page.getByRole('alert')).toContainText('Only they can unblock it.')
    await expect(page.getByText('The issuer blocked this card.', { exact: false })).toBeVisible()
    await expect(page.getByText('You froze this card.', { exact: false })).toBeHidden()
  })

  test('a withdrawal whose response is lost is sent exactly once, even if the page was closed', async ({
    page,
    context,
    service,
    expectedMessages,
  }) => {
    expectedMessages.push(/ERR_FAILED|Failed to load/)
    const { purser, account } = await newOwner({ page, service })
    await press(page.getByRole('link', { name: 'Withdraw', exact: true }).first())
    await type(page.getByLabel('Amount'), '12')
    await expectAccessible(page)
    // The service gets each request, and the page gets no response.
    await page.route('**/user/withdrawal', async (route) => {
      await route.fetch()
      await route.abort('failed')
    })
    await press(page.getByRole('button', { name: 'Review' }))
    await expect(page.getByRole('dialog')).toContainText(account.address)
    await press(page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }))
    await expect(page.getByText('A withdrawal may be unfinished').first()).toBeVisible({ timeout: 60_000 })
    await page.close()
    const reopened = await context.newPage()
    await reopened.goto('/app/withdraw')
    await signIn(reopened)
    await press(reopened.getByRole('button', { name: 'Finish it' }))
    await expect(reopened.getByRole('heading', { name: 'The withdrawal is accepted' })).toBeFocused()
    await press(reopened.getByRole('button', { name: 'Withdraw again' }))
    await expect(reopened.getByLabel('Token')).toBeFocused()
    const { data } = await purser.statement.list({ type: 'withdrawal' })
    expect(data).toHaveLength(1)
  })
})

test('an expired session is renewed in the middle of a form, and nothing is lost', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/401/)
  await newOwner({ page, service })
  await page.getByRole('link', { name: 'Withdraw', exact: true }).first().click()
  await page.getByLabel('Amount').fill('7.25')
  await service.sandbox('POST', '/clock', { advanceSeconds: 7_200 })
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await expect(page.getByLabel('Amount')).toHaveValue('7.25')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText('The withdrawal is accepted')).toBeVisible()
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  expect(stored).not.toMatch(/eyJ/)
})

test('a statement is not filtered if its URL names no valid day', async ({ page, service }) => {
  const { userId } = await newOwner({ page, service }, { euros: 0 })
  await page.goto('/app/statement?from=soon&until=2026-13-01')
  await signIn(page)
  await expect(page.getByText('Deposits, withdrawals and card payments appear here.')).toBeVisible()
  await deposit(service, userId, 100)
  await page.reload()
  await signIn(page)
  await expect(page.getByRole('main').getByText('€100.00').first()).toBeVisible()
})

test('the exported file has the rows of the statement, and filters narrow the list', async ({ page, service }) => {
  const { send, purser } = await newOwner({ page, service })
  for (let number = 10; number < 22; number++) await send('single_message', '1.00', `CSVR${number}`)
  await page.getByRole('link', { name: 'Statement', exact: true }).click()
  await expect(page.getByText('This is the beginning of your account.')).toBeVisible()
  await expectAccessible(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
  const items = await purser.statement.list().toArray({ limit: 1_000 })
  expect(lines).toHaveLength(items.length + 1)
  for (const { id } of items) expect(lines.some((line) => line.includes(id))).toBe(true)
  await page.getByLabel('Type').selectOption('deposit')
  await expect(page).toHaveURL(/type=deposit/)
  await expect(page.getByText('This is the beginning of your account.')).toBeHidden()
  await expect(page.getByRole('listitem').filter({ hasText: 'Deposit' }).first()).toBeVisible()
  await expect(page.getByText('Trattoria Sole')).toBeHidden()
  await page.getByLabel('From').fill('2099-01-01')
  await expect(page).toHaveURL(/from=2099-01-01/)
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.getByRole('button', { name: 'Show everything' }).click()
  await expect(page.getByRole('link', { name: /Trattoria Sole/ }).first()).toBeVisible()
})

test('an owner adds a second wallet in the settings, and switches the page to German', async ({ page, service }) => {
  await newOwner({ page, service }, { euros: 0 })
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await expect(page.getByText('This session')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add owner' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Dan' }).click()
  await expect(page.getByRole('button', { name: 'Remove' })).toHaveCount(2)
  await page.getByText('Deutsch').click()
  await expect(page.getByRole('heading', { name: 'Einstellungen' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
})

test('an owner renames a card, limits it, reads its PIN, reports it lost, and cancels the replacement', async ({
  page,
  service,
}) => {
  const { send } = await newOwner({ page, service })
  const dialog = page.getByRole('dialog')
  await page.getByRole('link', { name: 'Cards', exact: true }).click()
  await page.getByRole('link', { name: /Everyday/ }).click()
  await page.getByRole('button', { name: 'Rename' }).click()
  await dialog.getByLabel('Name of the card').fill('Travel')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'Travel' })).toBeVisible()

  await page.getByLabel('Per payment').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The limits are saved.')).toBeVisible()
  await send('authorization', '6.00', 'LIMIT1')
  await page.getByRole('link', { name: /Trattoria Sole/ }).click()
  await expect(page.getByText('Limit exceeded').first()).toBeVisible()
  await expectAccessible(page)
  await page.goBack()

  await page.getByText('Deutsch').click()
  await page.getByRole('button', { name: 'PIN anzeigen' }).click()
  await expect(page.frameLocator('iframe').getByText(/^PIN der Karte mit der Endung \d{4}$/)).toBeVisible()
  await expectFrameAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByText('English').click()

  await page.getByRole('button', { name: 'Report lost or stolen' }).click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Report lost or stolen' }).click()
  await expect(page.getByRole('button', { name: 'Report lost or stolen' })).toHaveCount(0)
  await page.getByRole('main').getByRole('link', { name: 'Cards' }).click()
  const cards = page.getByRole('main').getByRole('link', { name: /Travel/ })
  await expect(cards).toHaveCount(2)
  await expect(cards.filter({ hasText: 'Lost' })).toHaveCount(1)
  await cards.filter({ hasNotText: 'Lost' }).click()
  await page.getByRole('button', { name: 'Cancel card' }).click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel card' }).click()
  await expect(page.getByRole('button', { name: 'Cancel card' })).toHaveCount(0)
})

test('an owner cancels a card that is still being created, and can do nothing else with it but rename it', async ({
  page,
  service,
}) => {
  const { cardId } = await newOwner({ page, service })
  await service.sandbox('POST', `/cards/${cardId}/status`, { status: 'provisioning' })
  await page.getByRole('link', { name: 'Cards', exact: true }).click()
  await page.getByRole('link', { name: /Everyday/ }).click()
  await page.reload()
  await signIn(page)
  await expect(page.getByRole('button', { name: 'Rename' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Report lost or stolen' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Freeze', exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'Cancel card' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel card' }).click()
  await expect(page.getByRole('button', { name: 'Cancel card' })).toHaveCount(0)
})

test('an owner gets an IBAN, shares the identity check, ends all sessions, and closes the account', async ({
  page,
  service,
  expectedMessages,
}) => {
  // The access token of a closed session.
  expectedMessages.push(/401/)
  const partner = await newPartner(service)
  await partner.purser.partner.kycClients.add({ clientId: 'insurer' })
  const { account } = await newOwner({ page, service }, { euros: 0, partnerId: partner.partnerId })
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await expect(
    page.getByText('Euros that arrive there go to this wallet as tokens, not to your account.'),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Request an IBAN' }).click()
  await expect(page.getByText('BIC')).toBeVisible({ timeout: 60_000 })
  const payee = page.getByRole('definition').filter({ hasText: account.address })
  await expect(payee.locator('xpath=preceding-sibling::dt')).toHaveText('Receiving wallet')
  await page.getByLabel('Client id of the company').fill('insurer')
  await page.getByRole('button', { name: 'Create share token' }).click()
  await expect(page.getByText('The share token is shown only once.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await signIn(page)
  await page.getByRole('button', { name: 'Close account' }).click()
  const dialog = page.getByRole('dialog')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close account' }).click()
  await expect(page.getByText('Your account is closed.')).toBeVisible()
  await expectAccessible(page)
  // The wallet still gets an access token, but the operations of its closed user reject that token.
  await press(page.getByRole('button', { name: 'Story Wallet' }))
  await expect(page.getByRole('alert')).toContainText('The account of this wallet is closed.')
})
