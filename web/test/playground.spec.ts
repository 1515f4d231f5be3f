import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { runScenario } from '../../cli/src/scenarios/run.ts'
import { parseScenario } from '../../cli/src/scenarios/scenario.ts'
import { en } from '../src/console/text/en.ts'
import { pressEverything } from './crawl.ts'
import { expect, expectAccessible, expectAccessibleInBoth, test } from './fixtures.ts'
import { newUser } from './operator-world.ts'
import { startService } from './service.ts'
import { newAccount } from './wallet.ts'

test('a newcomer finds a user with money and a card, and plays the first scenario', async ({ page, service }) => {
  await service.sandbox('POST', '/reset', { confirm: 'reset' })
  await page.goto('/')
  await expect(page).toHaveURL(/\/console\/playground/)
  await expect(page.getByRole('heading', { name: 'Ada is ready, with €100.00 and a card' })).toBeVisible({
    timeout: 60_000,
  })
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Play the first scenario' }).click()
  await expect(page.getByText('Message 2 of 2')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('available → network')).toBeVisible()
  const events = page.getByRole('region', { name: 'Webhook events' }).getByRole('listitem')
  await expect(events.filter({ hasText: 'card.transaction.settled' })).toContainText('Delivered · 204')
  await expectAccessible(page)
  await page.getByRole('slider').press('ArrowLeft')
  await expect(page.getByText('Message 1 of 2')).toBeVisible()
  await expect(events.filter({ hasText: 'card.transaction.pending' })).toContainText('Delivered · 204')
  await expect(page.getByRole('definition').filter({ hasText: '€80.00' })).toBeVisible()
})

test('a message goes out from the composer, which shows it as code in four forms', async ({ page }) => {
  await page.goto('/console/playground')
  await page.getByLabel('Amount').fill('7.50')
  await page.getByRole('button', { name: 'Three duplicates' }).click()
  await page.getByRole('button', { name: 'Send message' }).click()
  await expect(page.getByText('Message 1 of 1')).toBeVisible()
  await page.locator('summary').click()
  await expect(page.getByRole('figure')).toContainText('curl -u simulator:sandbox')
  await page.getByRole('radio', { name: 'SDK' }).check({ force: true })
  await expect(page.getByRole('figure')).toContainText('purser.sandbox.transactions.send')
  await page.getByRole('radio', { name: 'CLI' }).check({ force: true })
  await expect(page.getByRole('figure')).toContainText('purser api POST /sandbox/transactions')
  await page.getByRole('radio', { name: 'Scenario', exact: true }).check({ force: true })
  await expect(page.getByRole('figure')).toContainText('"transaction_type": "authorization"')
})

test('after a card message is sent, the page selects its card transaction without reading the users again', async ({
  page,
}) => {
  await page.goto('/console/playground')
  const send = async (amount: string) => {
    const earlier = new URL(page.url()).searchParams.get('tx')
    await page.getByLabel('Amount').fill(amount)
    await page.getByRole('button', { name: 'Send message' }).click()
    await expect(page).toHaveURL(({ searchParams }) => ![null, earlier].includes(searchParams.get('tx')))
  }
  await send('3.21')
  await page.route('**/sandbox/users?*', () => undefined)
  await send('3.22')
  await page.unrouteAll()
})

test('for a link to an unknown card, the playground says that no user on the page has this card', async ({ page }) => {
  await page.goto(`/console/playground?card=${crypto.randomUUID()}`)
  const note = page.getByText('No user on this page has the card of the link.')
  await expect(note).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('main').getByRole('button', { name: 'Everyday' }).first().click()
  await expect(note).toHaveCount(0)
})

test('the playground writes a scenario file for each type of message, and each scenario ends as its file states', async ({
  page,
  service,
}) => {
  test.setTimeout(300_000)
  await page.goto('/console/playground')
  await page.locator('summary').click()
  await page.getByRole('radio', { name: 'Scenario', exact: true }).check({ force: true })
  const types = page.getByRole('combobox', { name: 'Message' })
  for (const label of await types.locator('option').allInnerTexts()) {
    await types.selectOption({ label })
    await expect(page.locator('details [aria-busy="true"]')).toHaveCount(0)
    const scenario = parseScenario(await page.getByRole('figure').locator('pre').innerText())
    const differences = await runScenario(scenario, { baseUrl: service.url, sandboxPassword: 'sandbox' })
    expect(differences, label).toEqual([])
  }
})

test('a lost request, a lost response, a delay and a reordering are one press each, and end in one decision', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/502/)
  await page.goto('/console/playground')
  for (const fact of ['Time of the service', 'Chain', 'Newest block', 'USD per €1'])
    await expect(page.getByText(fact, { exact: true })).toBeVisible()
  await expect(page.getByText(/^\d+ \(\d+ final\)$/)).toBeVisible()
  const send = page.getByRole('button', { name: 'Send message' })
  const payments = page.getByRole('navigation', { name: 'Payments of this card' }).getByRole('button')
  const shown = page.getByText('Message 1 of 1')
  const newUser = page.getByRole('button', { name: 'New user' })
  await newUser.click()
  await expect(newUser).not.toHaveAttribute('aria-busy', 'true')
  await expect(page.getByText('is ready, with €100.00 and a card')).toBeVisible()
  for (const [fault, amount] of [
    ['Lose request', '1.01'],
    ['Lose response', '1.02'],
  ] as const) {
    await page.getByLabel('Amount').fill(amount)
    await page.getByRole('button', { name: fault }).click()
    await send.click()
    await expect(page.getByRole('alert')).toContainText('The sender cannot tell which.')
    await page.getByRole('button', { name: 'Send the same event without the fault' }).click()
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(page.getByRole('status').filter({ hasText: 'Approved' })).toBeVisible()
    await page.getByRole('button', { name: fault }).click()
  }
  await expect(payments).toHaveCount(2)
  await page.getByLabel('Amount').fill('1.03')
  await page.getByRole('button', { name: 'Delay 3 s' }).click()
  await send.click()
  await expect(payments).toHaveCount(3)
  await page.getByRole('button', { name: 'Delay 3 s' }).click()
  await page.getByLabel('Amount').fill('1.04')
  await page.getByRole('button', { name: 'Reorder' }).click()
  await send.click()
  await expect(send).toHaveAttribute('aria-busy', 'true')
  const [{ cards = [] } = {}] = (
    await service.sandbox<{ data: { cards: { cardId: string }[] }[] }>('GET', '/users?limit=1')
  ).data
  const card_id = cards[0]?.cardId
  await service.sandbox('POST', '/transactions', {
    ...{ transaction_type: 'authorization', amount: '1.05', currency: 'EUR', card_id },
  })
  await expect(payments).toHaveCount(5)
  await expect(shown).toBeVisible()
})

test('the playground shows a scenario as a command, as its file, and as requests that reach its end', async ({
  page,
  service,
}) => {
  await service.sandbox('POST', '/reset', { confirm: 'reset' })
  await page.goto('/console/playground?tab=scenarios')
  await expect(page.getByRole('heading', { name: 'Ada is ready, with €100.00 and a card' })).toBeVisible()
  await page.getByRole('radio', { name: 'Scenarios' }).check({ force: true })
  const scenario = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Screening rejects a deposit' })
  const copies = page.getByRole('main').locator('summary')
  await expect(copies).toHaveCount(12)
  await scenario.locator('summary').click()
  const figure = scenario.getByRole('figure')
  const codeAs = async (form: string) => {
    await scenario.getByRole('radio', { name: form, exact: true }).check({ force: true })
    await expect(scenario.locator('[aria-busy="true"]')).toHaveCount(0)
    return figure.locator('pre').innerText()
  }
  expect(await codeAs('CLI')).toBe(`PURSER_URL=${service.url} purser trigger refused-deposit`)
  const file = await readFile(join(import.meta.dirname, '../../cli/scenarios/refused-deposit.json'), 'utf8')
  expect(JSON.parse(await codeAs('Scenario'))).toEqual(JSON.parse(file))
  expect(await codeAs('SDK')).toContain('await purser.sandbox.deposits.screen(deposit2.depositId, {')
  const { stdout } = await promisify(execFile)('bash', ['-ec', await codeAs('curl')])
  expect(stdout).toContain('"status":"denied"')
  await page.reload()
  await expect(page.getByRole('definition').filter({ hasText: '€105.00' })).toBeVisible()
  await expectAccessibleInBoth(page)
})

test('the end of a hold after 31 days is on the timeline, and every page shows the time of the moved clock', async ({
  page,
  expectedMessages,
}) => {
  // The session of the owner ends with the jump of the clock. The page signs in again.
  expectedMessages.push(/401/)
  await page.goto('/console/playground')
  await page.getByLabel('Amount').fill('3.00')
  await page.getByRole('button', { name: 'Send message' }).click()
  await expect(page.getByText('Message 1 of 1')).toBeVisible()
  await page.getByRole('button', { name: '+31 days' }).click()
  await expect(page.getByRole('button', { name: /^Expiry of the hold/ })).toBeVisible({ timeout: 60_000 })
  const moved = page.getByText(/Sandbox: nothing here is real money\. The clock of the service shows \d+ \w+ 20\d\d/)
  await expect(moved).toBeVisible()
  for (const path of ['/app/', '/console/partner', '/console/operator']) {
    await page.goto(path)
    await expect(moved).toBeVisible()
    await expectAccessible(page)
  }
})

for (const isNoisy of [false, true]) {
  test(`every scenario that a sandbox with its own chain can play ends as it states${isNoisy ? ', with messages that are repeated and reordered' : ''}`, async ({
    page,
    service,
    expectedMessages,
  }) => {
    test.setTimeout(240_000)
    // In a new sandbox, the page also creates the partner, whose wallet gets a user in one of the scenarios.
    await service.sandbox('POST', '/reset', { confirm: 'reset' })
    // A scenario moves the clock, after which a poll may be late.
    expectedMessages.push(/401/)
    await page.goto('/console/playground?tab=scenarios')
    if (isNoisy) await page.getByLabel('Repeat and reorder the messages').check()
    const plays = page.getByRole('button', { name: /^Play:/ })
    await expect(plays.first()).toBeVisible()
    // The sandbox's own chain decides the outcome of a payout. The next story plays that scenario without it.
    await expect(page.getByText('Start the sandbox with CHAIN=simulated to play this.')).toHaveCount(1)
    const scenarioCount = await plays.count()
    expect(scenarioCount).toBe(11)
    for (let index = 0; index < scenarioCount; index++) {
      await plays.nth(index).click()
      await expect(page.getByText('As expected')).toHaveCount(index + 1, { timeout: 60_000 })
    }
    await expect(page.getByText('Differs')).toHaveCount(0)
  })
}

test('a sandbox without a chain plays the stuck payout, and says what needs a chain', async ({ browser }) => {
  test.setTimeout(300_000)
  const service = await startService({ CHAIN: 'simulated' })
  const page = await browser.newPage()
  try {
    await page.goto(`${service.url}/console/playground?tab=scenarios`)
    await expect(page.getByText('simulated', { exact: true })).toBeVisible({ timeout: 60_000 })
    await expect(page.getByText('Start the sandbox with its own chain to play this.')).toHaveCount(1)
    await page.getByRole('button', { name: /^Play: A payout hangs/ }).click()
    await expect(page.getByText('As expected')).toBeVisible({ timeout: 60_000 })
    for (const line of ['failed', 'completed']) await expect(page.getByText(line, { exact: true })).toBeVisible()
  } finally {
    await page.close()
    await service.stop()
  }
})

test('the code for a sandbox with its own password contains the address, and reads the password from the environment', async ({
  browser,
}) => {
  const service = await startService({ SANDBOX_PASSWORD: 'a password of its own' })
  const page = await browser.newPage()
  try {
    await page.goto(`${service.url}/console/playground`)
    await page.getByLabel('Password of the simulator').fill('a password of its own')
    await page.getByRole('button', { name: 'Open the playground' }).click()
    await page.locator('summary').click()
    const codeAs = async (form: string) => {
      await page.getByRole('radio', { name: form, exact: true }).check({ force: true })
      await expect(page.locator('details [aria-busy="true"]')).toHaveCount(0)
      return page.getByRole('figure').locator('pre').innerText()
    }
    const env = { ...process.env, SANDBOX_PASSWORD: 'a password of its own' }
    const { stdout } = await promisify(execFile)('bash', ['-ec', await codeAs('curl')], { env })
    expect(stdout).toContain('"status":"approved"')
    expect(await codeAs('SDK')).toContain('simulator(process.env.SANDBOX_PASSWORD)')
    expect(await codeAs('CLI')).toContain(
      `PURSER_URL=${service.url} PURSER_SANDBOX_PASSWORD="$SANDBOX_PASSWORD" purser api`,
    )
  } finally {
    await page.close()
    await service.stop()
  }
})

test('a playground whose test wallets all have users says that the sandbox must be reset', async ({
  page,
  service,
}) => {
  const last = privateKeyToAddress(keccak256(stringToHex('purser sandbox wallet 200')))
  await service.sandbox('POST', '/users', { address: last, country: 'DE' })
  await page.goto('/console/playground')
  await page.getByRole('button', { name: 'New user' }).click()
  const notice = page.getByRole('alert').filter({ hasText: 'Every test wallet of this page has a user.' })
  await expect(notice).toBeVisible()
  await service.sandbox('POST', '/reset', { confirm: 'reset' })
})

test('a crash after the commit loses nothing: the service starts again, and the same event gets the stored decision', async ({
  page,
  expectedMessages,
}) => {
  expectedMessages.push(/ERR_|Failed to load/)
  await page.goto('/console/playground')
  await page.getByLabel('Amount').fill('2.25')
  await page.getByRole('button', { name: 'Crash after commit' }).click()
  await page.getByRole('button', { name: 'Send message' }).click()
  await expect(page.getByText('The service does not respond.')).toBeVisible()
  await expect(async () => {
    await page.getByRole('button', { name: 'Send the same event without the fault' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Approved' })).toBeVisible()
  }).toPass({ timeout: 90_000 })
  await expect(page.getByText('Message 1 of 1')).toBeVisible()
  await expect(page.getByText('€2.25').first()).toBeVisible()
})

test('a link to the card of one of the oldest users selects this card, and its user gets money in their currency', async ({
  page,
  service,
}) => {
  const addUser = (country: string) =>
    service.sandbox<{ userId: string }>('POST', '/users', { address: newAccount().address, country })
  const oldest = await newUser(service, { country: 'GB' })
  const { cardId } = await oldest.purser.cards.create({ cardName: 'Everyday', phone: '+4915123456789' })
  // The service returns at most 100 users at once.
  for (let count = 0; count < 100; count++) await addUser('DE')
  await page.goto(`/console/playground?card=${cardId}`)
  const person = page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByTitle(oldest.userId) })
  await expect(person.getByRole('button', { name: 'Everyday', pressed: true })).toBeVisible()
  await person.getByRole('button', { name: 'Add £100' }).click()
  const spendable = async () => (await oldest.purser.balances.list()).data.find(({ currency }) => currency === 'GBP')
  await expect.poll(async () => (await spendable())?.spendable).toMatch(/^1000*$/)
  // A poll during the reset would fail.
  await page.goto('about:blank')
  await service.sandbox('POST', '/reset', { confirm: 'reset' })
})

test('the dialog that resets the sandbox does not show the failure of an earlier attempt', async ({
  page,
  expectedMessages,
}) => {
  expectedMessages.push(/403/)
  await page.route('**/sandbox/reset', (route) =>
    route.fulfill({ status: 403, json: { success: false, error: 'NOT_PERMITTED' } }),
  )
  await page.goto('/console/playground')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Reset the sandbox' }).click()
  await dialog.getByRole('button', { name: 'Reset the sandbox' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toHaveCount(0)
  await page.getByRole('button', { name: 'Reset the sandbox' }).click()
  await expect(dialog).toBeVisible()
  await expect(dialog.getByRole('alert')).toHaveCount(0)
})

test('a playground shows failed reads and a failed move of the clock, and recovers with a retry', async ({
  page,
  expectedMessages,
}) => {
  expectedMessages.push(/503/)
  await page.goto('/console/playground')
  await expect(page.getByRole('button', { name: '+31 days' })).toBeVisible()
  await page.route(/\/sandbox\/clock|\/user\/(statement|balances)/, (route) =>
    route.fulfill({ status: 503, json: { success: false, error: 'UNAVAILABLE' } }),
  )
  await page.getByRole('button', { name: '+31 days' }).click()
  const world = page.getByRole('region', { name: 'State of the sandbox' })
  await expect(world.getByRole('alert')).toContainText('is not responding.')
  await page.reload()
  await expect(page.getByRole('alert').filter({ hasText: 'is not responding' })).toHaveCount(2)
  await expect(page.getByText('This card has no payments')).toHaveCount(0)
  await expectAccessibleInBoth(page)
  await page.unroute(/\/sandbox\/clock|\/user\/(statement|balances)/)
  // One retry may also load the data that another notice waits for.
  await expect(async () => {
    const retry = page.getByRole('button', { name: 'Try again' }).first()
    if (await retry.isVisible()) await retry.click({ timeout: 2000 })
    await expect(page.getByRole('alert')).toHaveCount(0, { timeout: 2000 })
  }).toPass()
})

test('every control of the playground can be pressed, and the reset asks before it deletes everything', async ({
  page,
  service,
  expectedMessages,
}) => {
  // A poll may be late when the clock moves.
  expectedMessages.push(/401/)
  await page.context().grantPermissions(['clipboard-write'])
  await service.sandbox('POST', '/reset', { confirm: 'reset' })
  await page.goto('/console/playground')
  await expect(page.getByRole('heading', { name: 'Ada is ready, with €100.00 and a card' })).toBeVisible()
  // Other stories play the scenarios, and expect the browser messages that some scenarios cause.
  const pressed = await pressEverything(page, { except: /^button: (Play: |Reset)/ })
  const { newUser, newCard, addMoney, send, copyAs, clockSteps, faultNames, tabs, forms } = en.playground
  const buttons = [newUser, newCard, addMoney('€100'), send, ...Object.values({ ...clockSteps, ...faultNames })]
  expect(pressed).toEqual(
    expect.arrayContaining([
      ...buttons.map((name) => `button: ${name}`),
      ...[tabs.message, tabs.scenarios, ...Object.values(forms)].map((name) => `radio: ${name}`),
      `summary: ${copyAs}`,
    ]),
  )
  expect(pressed.filter((name) => name.startsWith('option: '))).toHaveLength(11)

  const dialog = page.getByRole('dialog')
  for (const name of ['Close', 'Cancel']) {
    await page.getByRole('button', { name: 'Reset the sandbox' }).click()
    await dialog.getByRole('button', { name }).click()
    await expect(dialog).toBeHidden()
  }
  await page.getByRole('button', { name: 'Reset the sandbox' }).click()
  await expectAccessibleInBoth(page)
  await dialog.getByRole('button', { name: 'Reset the sandbox' }).click()
  await expect(page.getByRole('heading', { name: 'Ada is ready, with €100.00 and a card' })).toBeVisible()
})
