import type { Page } from '@playwright/test'
import type { PrivateKeyAccount } from 'viem/accounts'
import { falsify } from './database.ts'
import { expect, expectAccessible, expectOnReturn, test } from './fixtures.ts'
import { newUser } from './operator-world.ts'
import { eurToken, operatorAt, propose } from './operators.ts'
import { walletAt } from './partner-world.ts'
import type { Service } from './service.ts'
import { installAccounts, installWallet, newAccount } from './wallet.ts'

/** The states of an owner's pages: empty and long lists, changes made elsewhere, and German texts. */

async function newOwner(page: Page, service: Service, account?: PrivateKeyAccount) {
  const user = await newUser(service, { account: account ?? (await installWallet(page.context())) })
  const open = async (path: string) => {
    await page.goto(path)
    await page.getByRole('button', { name: 'Story Wallet' }).click()
  }
  const addCard = async () => {
    const { cardId } = await user.purser.cards.create({ cardName: 'Everyday', phone: '+4915123456789' })
    const pay = (amount: string, code: string) =>
      service.sandbox('POST', '/transactions', {
        ...{ transaction_type: 'single_message', amount, authorization_code: code, card_id: cardId, currency: 'EUR' },
        merchant_name: 'Trattoria Sole',
      })
    return { cardId, pay }
  }
  return { ...user, open, addCard }
}

test('an owner without money reads the next step on each empty page', async ({ page, service }) => {
  const { open, addCard } = await newOwner(page, service)
  const { cardId } = await addCard()
  await open('/app/withdraw')
  const main = page.getByRole('main')
  await expect(main.getByText('Deposit stablecoins first. Then you can withdraw them.')).toBeVisible()
  await expect(main.getByText('A withdrawal appears here as soon as you confirm it.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Statement', exact: true }).click()
  await expect(main.getByText('No movements yet')).toBeVisible()
  await expectAccessible(page)
  await main.getByRole('link', { name: 'Deposit' }).click()
  await expect(page.getByRole('heading', { name: 'Deposit', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Cards', exact: true }).click()
  await main.getByRole('link', { name: /Everyday/ }).click()
  await expect(main.getByText('Show the number of the card and pay online with it.')).toBeVisible()
  await open(`/app/cards/${cardId.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`)
  await main.getByRole('link', { name: 'All cards' }).click()
  await expect(main.getByRole('link', { name: /Everyday/ })).toBeVisible()
})

test('a card with many payments shows the newest and leads to all', async ({ page, service }) => {
  const { open, addCard, deposit } = await newOwner(page, service)
  await deposit(100)
  const { cardId, pay } = await addCard()
  for (let number = 10; number < 21; number++) await pay('1.00', `MANY${number}`)
  await open(`/app/cards/${cardId}`)
  const payments = page.getByRole('main').getByRole('link', { name: /Trattoria Sole/ })
  await expect(page.getByText('The newest 10. There are more.')).toBeVisible()
  await expect(payments).toHaveCount(10)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Show statement' }).click()
  await expect(page).toHaveURL(/type=card_transaction/)
  await expect(payments).toHaveCount(11)
})

test('limits that somebody else changed are shown before they are replaced', async ({ page, service }) => {
  const { open, addCard, purser } = await newOwner(page, service)
  const { cardId } = await addCard()
  await open(`/app/cards/${cardId}`)
  await page.getByLabel('Per payment').fill('50')
  await purser.cards.setLimits(cardId, { perTransaction: '2000', daily: null })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toContainText('Now: €20.00 per payment, No limit in 24 hours.')
  await expect(page.getByLabel('Per payment')).toHaveValue('50')
  await expectAccessible(page)
  expect(await purser.cards.getLimits(cardId)).toMatchObject({ perTransaction: '2000' })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The limits are saved.')).toBeVisible()
  expect(await purser.cards.getLimits(cardId)).toMatchObject({ perTransaction: '5000' })
})

test('a page that renames a card canceled elsewhere shows the new state of the card', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/422/)
  const { open, addCard, purser } = await newOwner(page, service)
  const { cardId } = await addCard()
  await open(`/app/cards/${cardId}`)
  await page.getByRole('button', { name: 'Rename' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name of the card').fill('Travel')
  await purser.cards.cancel(cardId)
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('main').getByText('Canceled')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Rename' })).toHaveCount(0)
})

test('the page of a card shows no open form of the card that was there before', async ({ page, service }) => {
  const { open, addCard, purser } = await newOwner(page, service)
  const { cardId } = await addCard()
  const other = await purser.cards.create({ cardName: 'Travel' })
  await open(`/app/cards/${cardId}`)
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('dialog').getByLabel('Name of the card').fill('Groceries')
  await page.evaluate((path) => history.pushState(null, '', path), `/app/cards/${other.cardId}`)
  await expect(page.getByRole('heading', { name: 'Travel' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a withdrawal below the minimum is only possible for the whole remainder', async ({ page, service }) => {
  const { open, deposit, withdraw, purser } = await newOwner(page, service)
  await deposit(25)
  const [token] = (await purser.programme.get()).tokens
  await service.halt()
  await service.restart({ WITHDRAWAL_MINIMUMS: JSON.stringify({ [token?.address ?? '']: String(20n * 10n ** 18n) }) })
  await open('/app/withdraw')
  const [main, review] = [page.getByRole('main'), page.getByRole('button', { name: 'Review' })]
  await expect(main.getByText('At least 20 EURe.', { exact: false })).toBeVisible()
  await main.getByLabel('Amount').fill('19')
  await expect(main.getByText('This is less than the minimum.')).toBeVisible()
  await expect(review).toBeDisabled()

  await withdraw(20)
  await open('/app/withdraw')
  await main.getByLabel('Amount').fill('4')
  await expect(main.getByText('This is less than the minimum.')).toBeVisible()
  await main.getByRole('button', { name: 'Maximum' }).click()
  await review.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText('The withdrawal is accepted')).toBeVisible()
  // The page would report each poll that fails during the restart.
  await page.goto('about:blank')
  await service.halt()
  await service.restart()
})

test('a withdrawal that was paid meanwhile cannot be canceled, and shows that it is paid', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/409|422|CONNECTION_REFUSED/)
  const { open, deposit, withdraw, purser } = await newOwner(page, service)
  await deposit(50)
  await service.halt()
  await service.restart({ ROLES: 'api' })
  const { withdrawalId } = await withdraw(10)
  await open('/app/withdraw')
  await page
    .getByRole('main')
    .getByRole('button', { name: /Withdrawal/ })
    .click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('There is nothing for you to do.', { exact: false })).toBeVisible()
  await expectAccessible(page)
  // The page does not learn of the payment.
  const held: (() => void)[] = []
  let isHeld = true
  await page.route('**/user/statement?*', async (route) => {
    if (isHeld) await new Promise<void>((release) => held.push(release))
    await route.continue()
  })
  await service.halt()
  await service.restart()
  await expect
    .poll(async () => (await purser.withdrawals.get(withdrawalId)).status, { timeout: 60_000 })
    .toBe('completed')
  const [conflict] = await Promise.all([
    page.waitForResponse('**/user/withdrawals/*/cancel'),
    dialog.getByRole('button', { name: 'Cancel withdrawal' }).click(),
  ])
  expect(conflict.headers()['x-error-code']).toBe('WITHDRAWAL_NOT_CANCELABLE')
  isHeld = false
  for (const release of held) release()
  await expect(dialog.getByText('Paid')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Cancel withdrawal' })).toHaveCount(0)
})

test('a decline and an error are in German for a German reader', async ({ page, service, expectedMessages }) => {
  expectedMessages.push(/400|422/)
  const { open, addCard, purser } = await newOwner(page, service)
  const { cardId, pay } = await addCard()
  await pay('1.00', 'POOR01')
  await open(`/app/cards/${cardId}`)
  await page.getByText('Deutsch').click()
  await expect(page.getByRole('link', { name: /Trattoria Sole/ })).toContainText('Guthaben reicht nicht')
  await page.getByRole('button', { name: 'Umbenennen' }).click()
  await purser.cards.cancel(cardId)
  await page.getByRole('dialog').getByRole('button', { name: 'Speichern' }).click()
  await expect(page.getByRole('main').getByText('Gekündigt')).toBeVisible()
  await page.getByRole('link', { name: /Trattoria Sole/ }).click()
  await expect(page.getByText('Guthaben reicht nicht').first()).toBeVisible()
  await page.getByRole('link', { name: 'Einstellungen' }).click()
  await page.getByLabel('Client-ID').fill('nobody')
  await page.getByRole('button', { name: 'Freigabe-Token erstellen' }).click()
  await expect(page.getByRole('alert')).toContainText('Diese Client-ID gehört zu keinem bekannten KYC-Client.')
})

/** Restarts the service, with other settings if given. Leaves the page first, since it would report each failed poll. */
async function restart(page: Page, service: Service, changes?: Readonly<Record<string, string>>) {
  await page.goto('about:blank')
  await service.halt()
  await service.restart(changes)
}

async function withdrawInPage(page: Page) {
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText('The withdrawal is accepted')).toBeVisible()
}

test('an owner whose identity check is open again still reaches the money, and reads what is missing', async ({
  page,
  service,
}) => {
  const { open, deposit, userId } = await newOwner(page, service)
  await deposit(100)
  const setKyc = (kyc: string) => service.sandbox('PATCH', `/users/${userId}`, { kyc })
  await setKyc('requiresAction')
  await open('/app/')
  await expect(page.getByRole('region', { name: 'Spendable' }).getByText('€100.00')).toBeVisible()
  const notice = page.getByText('Your identity check is not complete.', { exact: false })
  await expect(notice).toBeVisible()
  await expectAccessible(page)
  await page.getByText('Show this step').click()
  await expect(page.getByRole('link', { name: 'Start the check' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Withdraw', exact: true }).first().click()
  await page.getByLabel('Amount').fill('5')
  await withdrawInPage(page)
  await setKyc('approved')
  await expectOnReturn(page, (options) => expect(notice).toBeHidden(options))

  await setKyc('rejected')
  await open('/app/')
  await expect(page.getByText('Your identity check was rejected.', { exact: false })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Spendable' }).getByText('€95.00')).toBeVisible()
  await expect(page.getByText('Show this step')).toHaveCount(0)
  await expectAccessible(page)
})

test('new terms do not lock out an owner, who can use the account and accept them on the same page', async ({
  page,
  service,
}) => {
  const { open, deposit } = await newOwner(page, service)
  await deposit(100)
  const terms = [{ type: 'general', version: 'next', url: 'https://example.com/terms' }]
  await restart(page, service, { TERMS: JSON.stringify(terms) })
  await open('/app/')
  await expect(page.getByRole('region', { name: 'Spendable' }).getByText('€100.00')).toBeVisible()
  const notice = page.getByText('The terms have changed.', { exact: false })
  await expect(notice).toBeVisible()
  await page.getByText('Show this step').click()
  await page.getByRole('checkbox').check()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Accept and continue' }).click()
  await expect(notice).toBeHidden()
  await restart(page, service)
})

test('new terms that appear after the tick for the old ones need a tick of their own', async ({ page, service }) => {
  const { purser } = walletAt(service, await installWallet(page.context()))
  const email = `terms-${Date.now()}@example.com`
  await purser.user.sendEmailCode({ email })
  await purser.user.create({ email, otp: '123456' })
  await page.goto('/app/')
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  const accept = page.getByRole('button', { name: 'Accept and continue' })
  await expect(accept).toBeDisabled()
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await expect(accept).toBeEnabled()
  await page.route('**/user/terms', async (route) => {
    const response = await route.fetch()
    const { terms, ...rest }: { terms: object[] } = await response.json()
    await route.fulfill({ response, json: { ...rest, terms: terms.map((each) => ({ ...each, version: 'newer' })) } })
  })
  await expectOnReturn(page, (options) => expect(page.getByText(/version newer/).first()).toBeVisible(options))
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(0)
  await expect(accept).toBeDisabled()
})

test('a withdrawal above the funds of the payout wallet is accepted, and the form says that it may wait', async ({
  page,
  service,
}) => {
  // The payout wallet of a sandbox has 1,000,000 of each token.
  const { open, deposit, purser } = await newOwner(page, service)
  await deposit(2_000_000)
  await open('/app/withdraw')
  const main = page.getByRole('main')
  await expect(main.getByText('2,000,000 EURe available', { exact: false })).toBeVisible()
  const waits = main.getByText('The withdrawal may have to wait.', { exact: false })
  await main.getByLabel('Amount').fill('10')
  await expect(waits).toBeHidden()
  await main.getByRole('button', { name: 'Maximum' }).click()
  await expect(main.getByLabel('Amount')).toHaveValue('2000000')
  await expect(waits).toBeVisible()
  await expectAccessible(page)
  await withdrawInPage(page)
  await expect(main.getByRole('button', { name: /Withdrawal Pending/ })).toBeVisible()
  // Otherwise, it would hold up the payouts of other stories.
  const { data } = await purser.statement.list({ type: 'withdrawal' })
  await purser.withdrawals.cancel(data[0]?.id ?? '')
})

test('an amount below a cent can be withdrawn, so that the account can be closed', async ({ page, service }) => {
  const { open, userId, purser } = await newOwner(page, service)
  const { address } = await eurToken(service)
  await service.sandbox('POST', '/deposits', { userId, token: address, amount: String(1_234n * 10n ** 12n) })
  await open('/app/withdraw')
  await page.getByText('Deutsch').click()
  await page.getByRole('button', { name: 'Höchstbetrag' }).click()
  await expect(page.getByLabel('Betrag')).toHaveValue('0,001234')
  await page.getByText('English').click()
  await page.getByRole('button', { name: 'Maximum' }).click()
  await withdrawInPage(page)
  expect((await purser.balances.list()).data.flatMap(({ tokens }) => tokens.map(({ spendable }) => spendable))).toEqual(
    expect.not.arrayContaining([expect.stringMatching(/[^0]/)]),
  )
})

test('a deposit that arrives meanwhile does not change the token of a typed amount', async ({ page, service }) => {
  const { open, deposit, userId, purser } = await newOwner(page, service)
  const { tokens } = await purser.programme.get()
  const other = tokens.find(({ currency }) => currency !== 'EUR')
  const units = (amount: string) => amount + '0'.repeat(other?.decimals ?? 0)
  await service.sandbox('POST', '/deposits', { userId, token: other?.address, amount: units('40') })
  await open('/app/withdraw')
  await page.getByLabel('Amount').fill('5')
  await deposit(100)
  const { address } = await eurToken(service)
  const hasEuros = async () => {
    const response = await page.waitForResponse('**/user/balances/v2')
    const body: { data: { tokens: { token: string; spendable: string }[] }[] } = await response.json()
    return body.data.some((row) => row.tokens.some((each) => each.token === address && each.spendable !== '0'))
  }
  await expect.poll(hasEuros).toBe(true)
  // The page shows a response before it asks again.
  await hasEuros()
  await expect(page.getByLabel('Token')).toHaveValue(other?.address ?? '')
  await withdrawInPage(page)
  const { data } = await purser.statement.list({ type: 'withdrawal' })
  expect(data).toMatchObject([{ amount: units('5') }])
})

test('an amount with a separator of thousands is rejected, and a comma separates decimals', async ({
  page,
  service,
}) => {
  const { open, addCard, deposit, purser } = await newOwner(page, service)
  await deposit(5_000)
  const { cardId } = await addCard()
  await open(`/app/cards/${cardId}`)
  const daily = page.getByLabel('In 24 hours')
  for (const text of ['1,000', '-5']) {
    await daily.fill(text)
    await expect(page.getByText('Enter an amount such as 250 or 99.50.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  }
  await daily.fill('99,5')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The limits are saved.')).toBeVisible()
  await expect(daily).toHaveValue('99.50')
  expect(await purser.cards.getLimits(cardId)).toMatchObject({ daily: '9950' })

  await page.getByRole('link', { name: 'Withdraw', exact: true }).first().click()
  await page.getByLabel('Amount').fill('1,000')
  await expect(page.getByText('Enter an amount such as 25 or 9.99.')).toBeVisible()
  await page.getByText('Deutsch').click()
  await page.getByLabel('Betrag').fill('1.000')
  await expect(page.getByText('Geben Sie einen Betrag wie 25 oder 9,99 ein.')).toBeVisible()
  await page.getByLabel('Betrag').fill('1,000')
  await expect(page.getByText('Geben Sie einen Betrag wie 25 oder 9,99 ein.')).toBeHidden()
})

const lostAccess = 'This wallet no longer has access to the account.'

test('a second account of the same wallet becomes an owner, and a wallet that removes itself is signed out', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/401/)
  const [first, second] = [newAccount(), newAccount()]
  const accounts = [first, second]
  await installAccounts(page.context(), accounts)
  const { open } = await newOwner(page, service, first)
  await open('/app/settings')
  await expect(page.getByText('This session')).toBeVisible()
  accounts.reverse()
  await page.getByRole('button', { name: 'Add owner' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByRole('listitem').filter({ hasText: 'You' }).getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByText(lostAccess, { exact: false })).toBeVisible()
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByText('Latest movements').or(page.getByText('This session'))).toBeVisible()
})

test('the dialog that removes a wallet does not show the failure of another wallet', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/409/)
  const { open, purser, signed, userId } = await newOwner(page, service)
  const [first, second] = [newAccount(), newAccount()]
  for (const other of [first, second]) {
    const proof = await signed(`Add this wallet as an owner of user ${userId}.`, other)
    const approval = await signed(`Add wallet ${other.address} as an owner of user ${userId}.`)
    await purser.owners.add({ ...proof, approval })
  }
  await open('/app/settings')
  const remove = ({ address }: PrivateKeyAccount) =>
    page
      .getByRole('listitem')
      .filter({ has: page.getByTitle(address) })
      .getByRole('button', { name: 'Remove' })
      .click()
  const dialog = page.getByRole('dialog')
  await page.route('**/user/owners/*/remove', (route) =>
    route.fulfill({ status: 409, json: { success: false, error: 'LAST_WALLET' } }),
  )
  await remove(first)
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.unroute('**/user/owners/*/remove')
  await remove(second)
  await expect(dialog).toBeVisible()
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(dialog).toBeHidden()
  const owners = (await purser.owners.list()).data.map(({ address }) => address)
  expect(owners).toContain(first.address)
  expect(owners).not.toContain(second.address)
})

test('the dialog that closes the account does not show the failure of an earlier attempt', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/409/)
  const { open } = await newOwner(page, service)
  await open('/app/settings')
  await page.route('**/user/close', (route) =>
    route.fulfill({ status: 409, json: { success: false, error: 'ACCOUNT_NOT_EMPTY' } }),
  )
  const ask = page.getByRole('main').getByRole('button', { name: 'Close account' })
  const dialog = page.getByRole('dialog')
  await ask.click()
  await dialog.getByRole('button', { name: 'Close account' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await ask.click()
  await expect(dialog).toBeVisible()
  await expect(dialog.getByRole('alert')).toHaveCount(0)
})

test('if the programme cannot be read, the settings page shows the error, and offers an IBAN after a retry', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/403/)
  const { open } = await newOwner(page, service)
  await page.route('**/programme', (route) =>
    route.fulfill({ status: 403, json: { success: false, error: 'NOT_PERMITTED' } }),
  )
  await open('/app/settings')
  const failure = page.getByRole('main').getByRole('alert')
  await expect(failure).toContainText('NOT_PERMITTED')
  await page.unroute('**/programme')
  await failure.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('button', { name: 'Request an IBAN' })).toBeVisible()
  await expect(failure).toHaveCount(0)
})

for (const change of ['who was removed', 'whose user was closed'] as const) {
  test(`an owner ${change} elsewhere is signed out after one new signature`, async ({
    page,
    service,
    expectedMessages,
  }) => {
    expectedMessages.push(/401/)
    const { open, purser, signed, userId, account } = await newOwner(page, service)
    await open('/app/')
    await expect(page.getByText('Latest movements')).toBeVisible()
    if (change === 'whose user was closed') {
      await purser.user.close({ approval: await signed(`Close user ${userId} permanently.`) })
    } else {
      const other = newAccount()
      const proof = await signed(`Add this wallet as an owner of user ${userId}.`, other)
      const addition = await signed(`Add wallet ${other.address} as an owner of user ${userId}.`)
      await purser.owners.add({ ...proof, approval: addition })
      const approval = await signed(`Remove wallet ${account.address} as an owner of user ${userId}.`)
      await purser.owners.remove(account.address, { approval })
    }
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await expect(page.getByText(lostAccess, { exact: false })).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
}

test('a deposit that a reorganization removed, and one that went back to its sender, say so', async ({
  page,
  service,
}) => {
  const { open, userId, deposit } = await newOwner(page, service)
  const { address, decimals } = await eurToken(service)
  const amount = `7${'0'.repeat(decimals)}`
  await service.sandbox('POST', '/chain/blocks', { blocks: 10 })
  await service.sandbox('POST', '/deposits', { userId, token: address, amount, final: false })
  await service.sandbox('POST', '/chain/reorganizations', { blocks: 6 })
  const { depositId } = await deposit(30, 'rejected')
  const reason = 'refused by screening'
  await propose(operatorAt(service), { command: 'deposits return', subject: depositId, arguments: {}, reason })
  await open('/app/')
  const row = (amount: string) => page.getByRole('main').getByRole('button').filter({ hasText: amount })
  await expect(row('7.00')).toContainText('Rejected')
  await row('7.00').click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('The chain removed this deposit. The money did not arrive.')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await row('30.00').click()
  await expect(dialog.getByText('Screening rejected this deposit. The money went back to its sender.')).toBeVisible()
})

test('a lost card without a replacement says so, and the home page shows it', async ({ page, service }) => {
  const { open, addCard, userId } = await newOwner(page, service)
  const { cardId } = await addCard()
  await service.sandbox('PATCH', `/users/${userId}`, { kyc: 'requiresAction' })
  await open(`/app/cards/${cardId}`)
  await page.getByRole('button', { name: 'Report lost or stolen' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Report lost or stolen' }).click()
  await expect(page.getByText('The card is reported, but there is no replacement.', { exact: false })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await expect(page.getByRole('main').getByRole('link', { name: /Everyday/ })).toContainText('Lost')
  await expect(page.getByText('No cards yet')).toHaveCount(0)
})

test('an owner whose only card was rejected and canceled names a phone number for the next one', async ({
  page,
  service,
}) => {
  const { open, addCard, purser, userId } = await newOwner(page, service)
  await addCard()
  await falsify(
    service,
    `update card set status = 'canceled', card_token = null, last4 = null, expiry_month = null, expiry_year = null
     where user_id = $1 returning card_id`,
    [userId],
  )
  await open('/app/cards')
  await page.getByRole('button', { name: 'New card' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name of the card').fill('Groceries')
  await expect(form.getByText('the earlier number may still apply', { exact: false })).toBeVisible()
  await form.getByLabel('Phone number').fill('+4915123456780')
  await form.getByRole('button', { name: 'New card' }).click()
  await expect(page.getByRole('heading', { name: 'Groceries' })).toBeVisible()
  expect((await purser.phone.get()).phone).toBe('+4915123456780')
})

test('on a page without https, an owner can withdraw, copy an id, and create a card', async ({ page, service }) => {
  // On such a page, the browser has neither `crypto.randomUUID` nor `navigator.clipboard`.
  await page.addInitScript(() => {
    Object.defineProperty(Crypto.prototype, 'randomUUID', { value: undefined })
    Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })
  })
  const { open, deposit, purser } = await newOwner(page, service)
  await deposit(100)
  await open('/app/withdraw')
  await page.getByLabel('Amount').fill('5')
  await withdrawInPage(page)
  const accepted = page.getByRole('heading', { name: 'The withdrawal is accepted' })
  await accepted.locator('..').getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('link', { name: 'Cards', exact: true }).click()
  await page.getByRole('button', { name: 'New card' }).click()
  const form = page.getByRole('dialog')
  const [withdrawal] = (await purser.statement.list({ type: 'withdrawal' })).data
  await form.getByLabel('Name of the card').press('Control+V')
  await expect(form.getByLabel('Name of the card')).toHaveValue(withdrawal?.id ?? '')
  await form.getByLabel('Name of the card').fill('Groceries')
  await form.getByLabel('Phone number').fill('+4915123456789')
  await form.getByRole('button', { name: 'New card' }).click()
  await expect(page.getByRole('heading', { name: 'Groceries' })).toBeVisible()
  expect((await purser.statement.list({ type: 'withdrawal' })).data).toHaveLength(1)
})
