import type { Locator, Page } from '@playwright/test'
import { test as base, expect, expectAccessible } from './fixtures.ts'
import { addOperator, chainOf, deposit, euros, eurToken, newUser, operatorAt, propose } from './operators.ts'
import { type Service, startService } from './service.ts'
import { installWallet } from './wallet.ts'

/** The stories of decisions: two people sign, the chain pays, the books are checked, a backup is restored. */

const policies = { 'deposits return': 'two', 'payouts decide': 'two', 'payouts assign': 'two' }

/** A service of their own, on which two people must sign what moves money, and whose books are checked all the time. */
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
  await page.getByRole('button', { name: wallet }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
}

async function signOut(page: Page) {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in as an operator' })).toBeVisible()
}

/** Moves the focus with the Tab key alone, as a person without a mouse does, and presses Enter. */
async function pressWithKeyboard(page: Page, target: Locator) {
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element === document.activeElement)) return page.keyboard.press('Enter')
  }
  throw new Error(`the Tab key does not reach ${target}`)
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
  await secondOperator(page, service)
  const { userId } = await newUser(service)
  const depositId = await deposit(service, userId, 30, 'rejected')
  const first = operatorAt(service)
  const { data: frozen } = await first.purser.operator.deposits.list({ state: 'frozen' })
  const sender = frozen.find((each) => each.depositId === depositId)?.fromAddress ?? ''
  const chain = await chainOf(service)
  const before = await chain.balanceOf(sender)
  const reason = 'refused by screening'
  const { proposalId, typedData } = await propose(first, { command: 'deposits return', subject: depositId, reason })

  await open(page, `/proposals/${proposalId}`)
  await expect(page.getByText('You proposed this. Another person must approve it')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Approve' })).toBeHidden()
  await expectAccessible(page)
  const signature = await first.account.signTypedData(typedData as never)
  await expect(first.purser.operator.proposals.approve(proposalId, { signature })).rejects.toMatchObject({
    code: 'SECOND_PERSON_REQUIRED',
  })
  await signOut(page)

  await page.goto('/console/operator')
  await pressWithKeyboard(page, page.getByRole('button', { name: 'Story Wallet' }))
  await pressWithKeyboard(page, page.getByRole('link', { name: 'Proposals', exact: true }).first())
  await expect(page.getByRole('heading', { name: 'Proposals' })).toBeVisible()
  await expectAccessible(page)
  await pressWithKeyboard(page, page.getByRole('link', { name: 'Return the deposit' }))
  await expect(page.getByText(reason)).toBeVisible()
  await pressWithKeyboard(page, page.getByRole('button', { name: 'Approve' }))
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('30.00 EURe')).toBeVisible()
  await expectAccessible(page)
  await pressWithKeyboard(page, dialog.getByRole('button', { name: 'Sign and approve' }))
  await expect(dialog.getByText(/go back to/)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Done', { exact: true })).toBeVisible()

  const thirty = BigInt(euros(await eurToken(service), 30))
  await expect.poll(async () => (await chain.balanceOf(sender)) - before, { timeout: 60_000 }).toBe(thirty)

  await page.getByRole('link', { name: 'Decisions', exact: true }).click()
  const entry = page.getByRole('row').filter({ hasText: 'Return the deposit' })
  await expect(entry.getByText('2 valid')).toBeVisible()
  await expectAccessible(page)
  await entry.getByRole('link', { name: 'Return the deposit' }).click()
  await expect(page.getByText('This browser verified it, without asking the service.')).toBeVisible()
  await expect(page.getByText('Grace Hopper').first()).toBeVisible()
  await expectAccessible(page)
})
