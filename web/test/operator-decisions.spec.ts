import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { falsify } from './database.ts'
import { test as base, expect, expectAccessible, expectAccessibleInBoth } from './fixtures.ts'
import { press, type, withoutMouse } from './keyboard.ts'
import { newUser } from './operator-world.ts'
import { addOperator, approve, chainOf, euros, eurToken, operatorAt, propose } from './operators.ts'
import { type Service, startService } from './service.ts'
import { installAccounts, installWallet, newAccount } from './wallet.ts'

/** The stories of decisions: two people sign, the chain pays, the books are checked, a backup is restored. */

const policies = { 'deposits return': 'two', 'payouts decide': 'two', 'payouts assign': 'two' }

/** A service for these stories. The commands in `policies` need two people, and the books are checked every 3 s. */
const test = base.extend<object, { service: Service }>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires the pattern
    async ({}, use) => {
      const service = await startService({
        OPERATOR_POLICIES: JSON.stringify(policies),
        RECONCILE_EVERY_SECONDS: '3',
      })
      await use(service)
      await service.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})

/** Opens a screen as the built-in test operator, who is an admin, or as the wallet of the test. */
async function open(page: Page, path: string, wallet: 'Sandbox operator' | 'Story Wallet' = 'Sandbox operator') {
  await page.goto(`/console/operator${path}`)
  await press(page.getByRole('button', { name: wallet }))
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
}

async function signOut(page: Page) {
  await press(page.getByRole('button', { name: 'Sign out' }))
  await expect(page.getByRole('heading', { name: 'Sign in as an operator' })).toBeVisible()
}

/** Adds the wallet of the browser as a second person. */
async function secondOperator(page: Page, service: Service) {
  const account = await installWallet(page.context())
  await addOperator(service, account.address)
  return operatorAt(service, account)
}

test('a rejected deposit goes back to its sender once a second person approves, with the keyboard alone', async ({
  page,
  service,
}) => {
  await withoutMouse(page.context())
  await secondOperator(page, service)
  const { deposit } = await newUser(service)
  const { depositId } = await deposit(30, 'rejected')
  const first = operatorAt(service)
  const { operator } = first.purser
  const { data: frozen } = await operator.deposits.list({ state: 'frozen' })
  const sender = frozen.find((each) => each.depositId === depositId)?.fromAddress ?? ''
  const chain = await chainOf(service)
  const before = await chain.balanceOf(sender)

  await open(page, '/deposits')
  await press(page.getByRole('row').filter({ hasText: '30.00 EURe' }).getByRole('button', { name: 'Return' }))
  const dialog = page.getByRole('dialog')
  await type(dialog.getByLabel('Reason'), 'refused by screening')
  await press(dialog.getByRole('button', { name: 'Continue' }))
  await press(dialog.getByRole('button', { name: 'Sign', exact: true }))
  await press(dialog.getByRole('link', { name: 'Open the proposal' }))
  await expect(page.getByText('You proposed this. Another person must approve it')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Approve' })).toBeHidden()
  await expectAccessible(page)
  const { data: proposals } = await operator.proposals.list()
  const { proposalId = '', typedData } = proposals.find(({ subject }) => subject === depositId) ?? {}
  const signature = await first.account.signTypedData(typedData as never)
  await expect(operator.proposals.approve(proposalId, { signature })).rejects.toMatchObject({
    code: 'SECOND_PERSON_REQUIRED',
  })
  await signOut(page)

  await open(page, '', 'Story Wallet')
  await press(page.getByRole('link', { name: 'Proposals', exact: true }).first())
  await expect(page.getByRole('heading', { name: 'Proposals' })).toBeVisible()
  await expectAccessible(page)
  await press(page.getByRole('link', { name: 'Return the deposit' }))
  await expect(page.getByText('refused by screening')).toBeVisible()
  await press(page.getByRole('button', { name: 'Approve' }))
  await expect(dialog.getByText('30.00 EURe')).toBeVisible()
  await expectAccessible(page)
  await press(dialog.getByRole('button', { name: 'Sign and approve' }))
  await expect(dialog.getByText(/go back to/)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Done', { exact: true })).toBeVisible()

  const thirty = BigInt(euros(await eurToken(service), 30))
  await expect.poll(async () => (await chain.balanceOf(sender)) - before, { timeout: 60_000 }).toBe(thirty)

  await press(page.getByRole('link', { name: 'Decisions', exact: true }))
  const entry = page.getByRole('row').filter({ hasText: 'Return the deposit' })
  await expect(entry.getByText('2 valid')).toBeVisible()
  await expectAccessible(page)
  await press(entry.getByRole('link', { name: 'Return the deposit' }))
  await expect(page.getByText('This browser verified it, without asking the service.')).toBeVisible()
  await expect(page.getByText('Grace Hopper').first()).toBeVisible()
  await expectAccessible(page)
})

/** Gives the reason, and signs with the wallet. */
async function sign(page: Page, reason: string) {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByText('Shown by the wallet')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Sign', exact: true }).click()
  return dialog
}

test('an operator pays out money that reached a user after closing', async ({ page, service }) => {
  const { userId, account, purser, signed, deposit } = await newUser(service)
  await purser.user.close({ approval: await signed(`Close user ${userId} permanently.`) })
  await deposit(5)

  await open(page, `/users/${userId}/ledger`)
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Money after closing' }) })
  await expect(panel).toContainText('5.00 EURe')
  await expectAccessible(page)
  await press(panel.getByRole('button', { name: 'Pay out' }))
  const dialog = page.getByRole('dialog')
  await type(dialog.getByLabel('Reason'), 'a refund after closing')
  await press(dialog.getByRole('button', { name: 'Continue' }))
  await expect(dialog).toContainText(account.address)
  await press(dialog.getByRole('button', { name: 'Sign', exact: true }))
  await expect(dialog).toContainText('is pending')
  await press(dialog.getByRole('button', { name: 'Close' }).last())
  await expect(panel).toBeHidden()
})

test('money after closing is not offered to a contract on another chain', async ({ page, service }) => {
  const { userId, purser, signed, deposit } = await newUser(service)
  await purser.user.close({ approval: await signed(`Close user ${userId} permanently.`) })
  await deposit(5)
  await page.route(`**/operator/users/${userId}`, async (route) => {
    const response = await route.fetch()
    const { owners, ...user } = await response.json()
    const onAnotherChain = owners.map((owner: object) => ({ ...owner, contractChainId: 999 }))
    await route.fulfill({ response, json: { ...user, owners: onAnotherChain } })
  })
  await open(page, `/users/${userId}/ledger`)
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Money after closing' }) })
  await expect(panel).toContainText('This wallet is a contract on another chain.')
  await expect(panel).toContainText('5.00 EURe')
  await expect(panel.getByRole('button', { name: 'Pay out' })).toHaveCount(0)
})

test('an unpaid payout is sent again once two people decide, and a proposal lapses when the payout has changed', async ({
  page,
  service,
  expectedMessages,
}) => {
  // The lapsed proposal.
  expectedMessages.push(/409/)
  const second = await secondOperator(page, service)
  const first = operatorAt(service)
  const { operator } = first.purser
  const chain = await chainOf(service)
  const user = await newUser(service)
  await user.deposit(50)
  const repair = await chain.breakToken()
  const { withdrawalId: again } = await user.withdraw(10)
  const { withdrawalId: refunded } = await user.withdraw(20)
  const unpaid = async () => (await operator.payouts.list({ state: 'unpaid' })).data.map((each) => each.withdrawalId)
  await expect.poll(unpaid, { timeout: 90_000 }).toEqual(expect.arrayContaining([again, refunded]))
  await repair()

  await open(page, '')
  await page.getByRole('link', { name: 'Unpaid payouts' }).click()
  await expect(page).toHaveURL(/payouts\?state=unpaid/)
  await expect(page.getByText('Undecided')).toHaveCount(2)
  await expectAccessible(page)
  await page.locator(`a[href$="/payouts/${again}"]`).click()
  await expect(page.getByText('the payee got nothing', { exact: false })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Decide Pay again' }).click()
  const dialog = await sign(page, 'the token was broken')
  await expect(dialog.getByText('The proposal waits for another person.')).toBeVisible()
  await dialog.getByRole('link', { name: 'Open the proposal' }).click()
  await expect(page.getByText('You proposed this.')).toBeVisible()
  await signOut(page)

  await open(page, `/payouts/${again}`, 'Story Wallet')
  const waiting = page.getByRole('region', { name: 'Waiting for a second person' })
  await waiting.getByRole('link', { name: 'Resolve the unpaid payout' }).click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Sign and approve' }).click()
  await expect(page.getByRole('dialog').getByText(/signed and sent once more/)).toBeVisible()
  await page.keyboard.press('Escape')
  const ten = BigInt(euros(await eurToken(service), 10))
  await expect.poll(() => chain.balanceOf(user.account.address), { timeout: 90_000 }).toBe(ten)

  const reason = 'the token was broken'
  const change = { command: 'payouts decide', subject: refunded, reason } as const
  const late = await propose(first, { ...change, arguments: { decision: 'again' } })
  const refund = await propose(first, { ...change, arguments: { decision: 'refund' } })
  await page.goto(`/console/operator/proposals/${late.proposalId}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await approve(second, refund)
  await page.getByRole('button', { name: 'Sign and approve' }).click()
  await expect(page.getByRole('dialog').getByText(/The proposal has lapsed, and nothing was changed/)).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByText('Lapsed', { exact: true })).toBeVisible()
  await expect(page.getByText('Nothing was changed. The outcome names the reason.', { exact: false })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Approve' })).toBeHidden()
  await expectAccessible(page)
  await page.goto('/console/operator/proposals?status=lapsed')
  await expect(page.getByRole('row').filter({ hasText: 'Resolve the unpaid payout' })).toHaveCount(1)
  expect(await chain.balanceOf(user.account.address)).toBe(ten)
})

test('a row that was falsified in SQL is shown in red with the expected and the found value', async ({
  page,
  service,
}) => {
  const { userId, deposit } = await newUser(service)
  await deposit(40)
  const token = await eurToken(service)
  const right = euros(token, 40)
  const wrong = String(BigInt(right) + 1n)
  const change = (by: number) =>
    falsify(
      service,
      'update ledger_balance set available = available + $2, chain = chain - $2 where user_id = $1 returning 1',
      [userId, by],
    )
  await change(1)
  const { operator } = operatorAt(service).purser
  const badRows = async () => (await operator.overview()).data.find(({ work }) => work === 'badRows')?.count
  await expect.poll(badRows, { timeout: 60_000 }).toBeGreaterThan(0)

  await open(page, '')
  await page.getByRole('link', { name: 'Bad rows in the books' }).click()
  await expect(page.getByText('The books are wrong')).toBeVisible()
  const row = page.getByRole('row').filter({ hasText: `I3: available is ${wrong}` })
  const sentence = row.getByText(`I3: available is ${wrong}, but its postings add up to ${right}`)
  await expect(sentence).toBeVisible()
  expect(await sentence.evaluate((element) => getComputedStyle(element).color)).toBe(await colorOf(page, 'text-bad'))
  await expect(row.getByText('ledger_balance')).toBeVisible()
  await expect(row.locator(`a[href$="/users/${userId}"]`)).toBeVisible()
  await expectAccessibleInBoth(page)

  const check = page.getByRole('button', { name: 'Check', exact: true })
  const result = page.getByRole('status')
  await page.getByLabel('User id').fill(userId)
  await check.click()
  await expect(result.getByText(`I3: available is ${wrong}`, { exact: false })).toBeVisible()
  await change(-1)
  await check.click()
  await expect(result.getByText('The books of this user are correct.')).toBeVisible()
  await expect.poll(badRows, { timeout: 60_000 }).toBe(0)
  await page.reload()
  await expect(page.getByText('The books are correct')).toBeVisible()
})

test('a check of custody names the chains that it did not compare', async ({ page, service }) => {
  const { reconciliation } = operatorAt(service).purser.operator
  const compared = async () => (await reconciliation.list()).data[0]?.custody?.length ?? 0
  await expect.poll(compared, { timeout: 60_000 }).toBeGreaterThan(0)
  // The page sees another chain, as if an operator had configured it after the last check.
  await page.route('**/programme', async (route) => {
    const response = await route.fetch()
    const { tokens, ...programme } = await response.json()
    const added = { ...tokens[0], address: '0x0000000000000000000000000000000000000c0a', chainId: 424_242 }
    await route.fulfill({ response, json: { ...programme, tokens: [...tokens, added] } })
  })
  await open(page, '/reconciliation')
  await expect(page.getByText('Not compared in this check: chain 424242.')).toBeVisible()
  await expectAccessible(page)
})

/** The color that a class gives to a text in the current theme. */
const colorOf = (page: Page, name: string) =>
  page.evaluate((className) => {
    const probe = document.body.appendChild(document.createElement('span'))
    probe.className = className
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }, name)

test('after the restore of an old backup, payouts of known users come back by themselves and the others wait for an operator', async ({
  page,
  service,
}) => {
  test.setTimeout(240_000)
  await secondOperator(page, service)
  const chain = await chainOf(service)
  const known = await newUser(service)
  await known.deposit(60)
  const database = join(service.folder, 'postgres')
  const backup = join(service.folder, 'backup')
  await service.halt()
  await cp(database, backup, { recursive: true, preserveTimestamps: true })
  await service.restart()

  // After the backup: a payout of a user whom the backup knows, and one of a user whom it does not know.
  const unknown = await newUser(service)
  await unknown.deposit(25)
  const token = await eurToken(service)
  const { withdrawalId: first } = await known.withdraw(15)
  const { withdrawalId: second } = await unknown.withdraw(25)
  const completed = async () => [
    (await known.purser.withdrawals.get(first)).status,
    (await unknown.purser.withdrawals.get(second)).status,
  ]
  await expect.poll(completed, { timeout: 90_000 }).toEqual(['completed', 'completed'])

  await service.halt()
  await rm(database, { recursive: true })
  await cp(backup, database, { recursive: true, preserveTimestamps: true })
  await service.restart()
  const recovered = async () => {
    const { data } = await known.purser.statement.list({ type: 'withdrawal' })
    return data.map(({ id, status }) => [id, status])
  }
  await expect.poll(recovered, { timeout: 120_000 }).toEqual([[first, 'completed']])

  await open(page, '')
  const work = page.getByRole('row').filter({ hasText: 'Payouts without a user' })
  await expect(work).toContainText('1')
  await expectAccessible(page)
  await work.getByRole('link').click()
  await expect(page).toHaveURL(/payouts\?state=unassigned/)
  await expect(page.locator(`a[href$="/payouts/${second}"]`)).toBeVisible()
  const { data: unassigned } = await operatorAt(service).purser.operator.payouts.list({ state: 'unassigned' })
  const field = page.getByRole('searchbox', { name: 'Search' })
  await field.fill(unassigned[0]?.txHash ?? '')
  await field.press('Enter')
  await page
    .getByRole('table', { name: 'Results' })
    .getByRole('link', { name: second.slice(0, 6) })
    .click()
  await expect(page.getByText('no withdrawal in the backup matches it', { exact: false })).toBeVisible()
  await expect(page.getByText('25.00 EURe')).toBeVisible()
  await expectAccessible(page)

  // The owner signs up once more, and the payout is assigned to the new user.
  const { userId } = await newUser(service, { account: unknown.account })
  await page.getByLabel('User id').fill(userId)
  await page.getByRole('button', { name: 'Assign' }).click()
  const dialog = await sign(page, 'the wallet of the payee belongs to this user')
  await dialog.getByRole('link', { name: 'Open the proposal' }).click()
  await signOut(page)
  await open(page, '/proposals', 'Story Wallet')
  await page.getByRole('link', { name: 'Assign the payout' }).click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Sign and approve' }).click()
  await expect(page.getByRole('dialog').getByText(/is assigned to user/)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.goto('/console/operator')
  await expect(page.getByRole('heading', { name: 'Work list' })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Payouts without a user' })).toHaveCount(0)
  expect(await chain.balanceOf(unknown.account.address)).toBe(BigInt(euros(token, 25)))
})

/** The screens of this area, with a text that proves that their data is there. */
const screens = [
  ['/payouts', 'No payout is in processing'],
  ['/payouts?state=unpaid', 'No payout is unpaid'],
  ['/proposals', 'No open proposals'],
  ['/proposals?status=all', 'Proposed by'],
  ['/decisions', 'Add the operator: money Grace Hopper'],
  ['/reconciliation', 'Money on chain'],
  ['/chains', 'Payout wallets'],
  ['/operators', 'Grace Hopper'],
  ['/signing-keys', 'Signs now'],
  ['/domains', 'localhost always works'],
  ['/partners', 'No partners yet'],
  ['/webhooks/dead', 'No dead letters'],
  ['/switches', 'Card approvals'],
  ['/evidence', 'How an auditor verifies it'],
] as const

test('the screens about payouts, decisions, books and access are accessible in light and dark, and fit 320 pixels', async ({
  page,
  service,
}) => {
  test.setTimeout(240_000)
  await secondOperator(page, service)
  // The console reads a list once, and a payout of an earlier story may end a moment later.
  const { payouts } = operatorAt(service).purser.operator
  await expect.poll(async () => (await payouts.list({ state: 'open' })).data).toEqual([])
  await open(page, '')
  for (const [path, text] of screens) {
    await page.goto(`/console/operator${path}`)
    await expect(page.getByText(text).first()).toBeVisible({ timeout: 30_000 })
    await expectAccessibleInBoth(page)
    await page.setViewportSize({ width: 320, height: 720 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow, `${path} is wider than the page`).toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 1280, height: 860 })
  }
})

test('a viewer sees no buttons of decisions, and a screen without permission names the permission', async ({
  page,
  service,
}) => {
  const account = await installWallet(page.context())
  await addOperator(service, account.address, 'viewer', 'Vera Viewer')
  await open(page, '/switches', 'Story Wallet')
  await expect(page.getByText('Card approvals')).toBeVisible()
  await expect(page.getByRole('main').getByRole('button', { name: /Stop/ })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Evidence' })).toHaveCount(0)
  await page.goto('/console/operator/evidence')
  await expect(page.getByText('This screen needs the permission evidence:read')).toBeVisible()
  await expectAccessible(page)
})

test('a screen whose data cannot be read shows a linked error code, the request id and a button that tries again', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/500/)
  expect(service.url).toContain('localhost')
  await open(page, '')
  await page.route('**/operator/chains', (route) =>
    route.fulfill({
      status: 500,
      headers: { 'x-request-id': 'req-of-this-test' },
      contentType: 'application/json',
      body: '{"success":false,"error":"INTERNAL_ERROR"}',
    }),
  )
  await page.getByRole('link', { name: 'Chains', exact: true }).click()
  const alert = page.getByRole('alert')
  await expect(alert).toContainText('An error occurred in the service.')
  await expect(alert.getByTitle('req-of-this-test')).toBeVisible()
  const code = alert.getByRole('link', { name: 'INTERNAL_ERROR' })
  const [explained] = await Promise.all([page.waitForEvent('popup'), code.click()])
  await expect(explained.getByRole('heading', { level: 1 })).toHaveText('INTERNAL_ERROR')
  await explained.close()
  await page.unroute('**/operator/chains')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Payout wallets')).toBeVisible()
})

test('a screen whose open proposals cannot be read shows the error code and a button that tries again', async ({
  page,
  expectedMessages,
}) => {
  expectedMessages.push(/403/)
  await page.route('**/operator/proposals?*', (route) =>
    route.fulfill({ status: 403, json: { success: false, error: 'NOT_PERMITTED' } }),
  )
  await open(page, '/switches')
  const failure = page.getByRole('main').getByRole('alert')
  await expect(failure).toContainText('NOT_PERMITTED')
  await page.unroute('**/operator/proposals?*')
  await failure.getByRole('button', { name: 'Try again' }).click()
  await expect(failure).toHaveCount(0)
})

test('a chain that is silent is a warning in production, but not in a sandbox', async ({ page }) => {
  // The chain of a sandbox makes a block only for a transaction.
  await page.route('**/operator/chains', async (route) => {
    const response = await route.fetch()
    const { data } = await response.json()
    const updatedAt = '2026-01-31T09:30:00.000Z'
    await route.fulfill({ response, json: { data: data.map((chain: object) => ({ ...chain, updatedAt })) } })
  })
  const warning = page.getByText('The watcher has read no block for a while', { exact: false })
  await open(page, '')
  await page.getByRole('link', { name: 'Chains', exact: true }).click()
  await expect(page.getByText('Payout wallets')).toBeVisible()
  await expect(warning).toHaveCount(0)
  // Only the page believes that this is no sandbox.
  await page.route('**/console/operator/chains', async (route) => {
    const response = await route.fetch()
    const html = await response.text()
    await route.fulfill({ response, body: html.replace(/(mode&quot;:&quot;)sandbox/, '$1production') })
  })
  await page.goto('/console/operator/chains')
  await expect(warning).toBeVisible()
})

test('an admin adds an operator and removes them again', async ({ page }) => {
  await open(page, '/operators')
  const permissions = page.getByRole('table', { name: 'Permissions of each role' })
  const payouts = permissions.getByRole('row').filter({ hasText: 'payouts:write' }).getByRole('cell')
  await expect(payouts).toHaveText(['no', 'no', 'yes', 'yes', 'no'])
  await page.getByRole('button', { name: 'Add an operator' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Wallet').fill('0x00000000000000000000000000000000000000A1')
  await form.getByLabel('Role').selectOption('support')
  await form.getByLabel('Name of the person').fill('Katherine Johnson')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Continue' }).click()
  const added = await sign(page, 'she joins the team')
  await expect(added.getByText(/is an operator with the role support/)).toBeVisible()
  await page.keyboard.press('Escape')
  const row = page.getByRole('row').filter({ hasText: 'Katherine Johnson' })
  await expect(row.getByText('Support', { exact: true })).toBeVisible()
  await row.getByRole('button', { name: 'Remove Katherine Johnson' }).click()
  const removed = await sign(page, 'she left the team')
  await expect(removed.getByText(/is no longer an operator/)).toBeVisible()
  await page.keyboard.press('Escape')
  const former = page.getByRole('region', { name: 'Removed operators' })
  await expect(former.getByText('Katherine Johnson')).toBeVisible()
})

test('the dialog of a decision shows the change and the state before it in separate groups', async ({
  page,
  service,
}) => {
  const address = '0x00000000000000000000000000000000000000A3'
  await addOperator(service, address, 'viewer', 'Mary Jackson')
  await open(page, '/operators')
  await page.getByRole('button', { name: 'Change role Mary Jackson' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Role').selectOption('admin')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByLabel('Reason').fill('she leads the team')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByRole('region', { name: 'Change', exact: true })).toContainText('Roleadmin')
  await expect(dialog.getByRole('region', { name: 'State before the change' })).toContainText('Roleviewer')
  await expectAccessible(page)
})

test('a signing key can be retired until its last access token has expired, even while it signs', async ({
  page,
  service,
}) => {
  const { operator } = operatorAt(service).purser
  const keys = async () => (await operator.signingKeys.list()).data
  await propose(operatorAt(service), { command: 'keys rotate', subject: 'signing-keys', reason: 'the yearly rotation' })
  const [old, next] = (await keys()).slice(-2)
  const rowOf = (kid = '') => page.getByRole('row').filter({ has: page.getByTitle(kid) })
  const retire = { name: 'Retire' }

  await service.sandbox('POST', '/clock', { advanceSeconds: 86_399 })
  await open(page, '/signing-keys')
  await expect(rowOf(old?.kid)).toContainText('Verifies only')
  await expect(rowOf(old?.kid).getByRole('button', retire)).toBeVisible()
  await service.sandbox('POST', '/clock', { advanceSeconds: 602 })
  await page.reload()
  await expect(rowOf(old?.kid)).toContainText('No longer trusted')
  await expect(rowOf(old?.kid).getByRole('button', retire)).toHaveCount(0)
  await expectAccessible(page)

  await expect(rowOf(next?.kid)).toContainText('Signs now')
  await rowOf(next?.kid).getByRole('button', retire).click()
  const warning = 'The access tokens that this key signed become invalid at once.'
  await expect(page.getByRole('dialog').getByText(warning, { exact: false })).toBeVisible()
  await sign(page, 'the key has leaked')
  await page.keyboard.press('Escape')
  await expect(rowOf(next?.kid)).toContainText('Retired')
  await expect(page.getByRole('row').filter({ hasText: 'Signs now' })).toHaveCount(1)
})

test('an operator stops payouts and resumes them, and the work list says so in between', async ({ page }) => {
  await open(page, '/switches')
  await page.getByRole('button', { name: 'Stop Payouts' }).click()
  await expect((await sign(page, 'the wallet may be stolen')).getByText(/The switch payouts is off/)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Work list' }).click()
  await page.getByRole('link', { name: 'Switches that are off' }).click()
  await page.getByRole('button', { name: 'Resume Payouts' }).click()
  await expect((await sign(page, 'the wallet is safe')).getByText(/The switch payouts is on/)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Stop Payouts' })).toBeVisible()
})

test('an operator whose wallet shows another account signs once the account is switched back', async ({
  page,
  service,
}) => {
  const [own, other] = [newAccount(), newAccount()]
  const accounts = [own, other]
  await installAccounts(page.context(), accounts)
  await addOperator(service, own.address, 'admin', 'Mary Jackson')
  await open(page, '/switches', 'Story Wallet')
  await page.reload()
  await page.getByRole('button', { name: 'Stop Payouts' }).click()
  accounts.reverse()
  const dialog = await sign(page, 'the wallet may be stolen')
  await expect(dialog.getByText('The wallet shows a different account', { exact: false })).toBeVisible()
  accounts.reverse()
  await dialog.getByRole('button', { name: 'Sign', exact: true }).click()
  await expect(dialog.getByText(/The switch payouts is off/)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Resume Payouts' }).click()
  await expect((await sign(page, 'the wallet is safe')).getByText(/The switch payouts is on/)).toBeVisible()
})

test('the evidence of a decision is downloaded with its hash, and names the decision', async ({ page, service }) => {
  await addOperator(service, '0x00000000000000000000000000000000000000A2', 'auditor', 'Ada Auditor')
  await open(page, '/decisions')
  await page.getByRole('link', { name: 'Add the operator: auditor Ada Auditor' }).click()
  await expect(page.getByText('This browser verified it', { exact: false })).toBeVisible()
  await page.getByRole('link', { name: 'Evidence of the day' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  await expect(page.getByText('The content matches its hash.')).toBeVisible()
  await expectAccessible(page)
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
  expect(lines.at(-1)).toContain('"kind":"signature"')
  expect(lines.some((line) => line.includes('"decision"') && line.includes('Ada Auditor'))).toBe(true)
})
