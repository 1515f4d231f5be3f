import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, test as base, expect, type Page } from '@playwright/test'
import type { PrivateKeyAccount } from 'viem/accounts'
import { falsify } from '../test/database.ts'
import { type Service, startService } from '../test/service.ts'
import { installWallet } from '../test/wallet.ts'
import { makeWorld, newAccount, type World } from './screenshots-world.ts'

/** Takes screenshots of every screen, light and dark, on a wide page and on a phone: `web/README.md` explains it. */

const folder = process.env['SCREENSHOTS'] ?? join(tmpdir(), 'purser-screenshots')

const wide = { width: 1280, height: 860 }
const phone = { width: 390, height: 844 }
const looks = [
  { look: 'light', size: wide, colorScheme: 'light', language: 'English' },
  { look: 'dark', size: wide, colorScheme: 'dark', language: 'English' },
  { look: 'phone-light', size: phone, colorScheme: 'light', language: 'English' },
  { look: 'phone-dark', size: phone, colorScheme: 'dark', language: 'English' },
  { look: 'phone-german', size: phone, colorScheme: 'light', language: 'Deutsch' },
  { look: 'german', size: wide, colorScheme: 'light', language: 'Deutsch' },
] as const

/** The pictures of the documents. `UPDATE_DOCS=yes` replaces them. */
const documents = join(import.meta.dirname, '../../docs/screenshots')
const updatesDocuments = process.env['UPDATE_DOCS'] === 'yes'
const documented: Readonly<Record<string, string>> = {
  'design.dark': 'design-dark',
  'operator-card-transaction.light': 'operator-card-transaction-light',
  'operator-decisions.light': 'operator-decisions-light',
  'operator-reconciliation.phone-dark': 'operator-reconciliation-phone-dark',
  'operator-user-ledger.dark': 'operator-ledger-dark',
  'operator-user.phone-light': 'operator-user-phone',
  'owner-card.light': 'card-light',
  'owner-deposit.phone-dark': 'deposit-phone-dark',
  'owner-home.light': 'home-light',
  'owner-home.phone-dark': 'home-phone-dark',
  'owner-home.phone-german': 'home-phone-german',
  'partner-domains.phone-dark': 'partner-domains-phone-dark',
  'partner-start.light': 'partner-start-light',
  'playground.light': 'playground-light',
}
const isLong: ReadonlySet<string> = new Set(['operator-reconciliation-phone-dark'])

async function settle(page: Page): Promise<void> {
  await expect(page.locator('h1').first()).toBeVisible()
  // The design page shows parts that load forever.
  if (!page.url().endsWith('/design')) await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.evaluate(async () => document.fonts.ready)
}

async function speak(page: Page, language: 'English' | 'Deutsch'): Promise<void> {
  await page.getByRole('contentinfo').getByText(language).click()
  await expect(page.locator('html')).toHaveAttribute('lang', language === 'Deutsch' ? 'de' : 'en')
  // The page changes once its texts are loaded.
  await expect(page.getByRole('group', { name: language === 'Deutsch' ? 'Sprache' : 'Language' })).toBeVisible()
}

/** Takes the open page in each look, and ends in English. With a dialog, it takes only the visible part. */
async function take(page: Page, name: string): Promise<void> {
  for (const { look, size, colorScheme, language } of looks) {
    const isModal = (await page.locator('dialog[open]').count()) > 0
    // A dialog covers the choice of the language.
    if (isModal && language === 'Deutsch') continue
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    if (!isModal) await speak(page, language)
    await settle(page)
    // Choosing the language scrolls to the end of the page. A menu that stays in view would appear there in the picture.
    await page.evaluate(() => scrollTo(0, 0))
    await page.mouse.move(0, 0)
    await page.screenshot({ path: join(folder, `${name}.${look}.png`), fullPage: !isModal })
    const file = documented[`${name}.${look}`]
    if (file !== undefined && updatesDocuments)
      await page.screenshot({ path: join(documents, `${file}.png`), fullPage: !isLong.has(file) })
  }
  await page.setViewportSize(wide)
  if ((await page.locator('dialog[open]').count()) === 0) await speak(page, 'English')
}

/** Opens a browser for one person, whose wallet signs in when a page asks for it. */
async function newPerson(browser: Browser, service: Service, wallet: string, account?: PrivateKeyAccount) {
  const context = await browser.newContext({
    ...{ baseURL: service.url, viewport: wide, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' },
  })
  if (account !== undefined) await installWallet(context, account)
  const page = await context.newPage()
  const open = async (path: string) => {
    // The same address with another fragment is not loaded again.
    await page.goto('about:blank')
    await page.goto(path)
    const signIn = page.getByRole('button', { name: wallet }).first()
    await page.locator('h1').or(signIn).first().waitFor()
    if (await signIn.isVisible()) {
      await signIn.click()
      await page.getByRole('button', { name: /Sign out|Abmelden/ }).waitFor()
    }
    await settle(page)
  }
  return { page, open }
}

type Person = Awaited<ReturnType<typeof newPerson>>
type Shared = {
  readonly service: Service
  /** A lot of data. Screens without data are taken before it exists. */
  readonly world: World
  readonly visitor: Person
  readonly newcomer: Person
  readonly founder: Person
  readonly owner: Person
  readonly member: Person
  readonly operator: Person
}

const test = base.extend<object, Shared>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires the pattern
    async ({}, use) => {
      const policies = JSON.stringify({ 'deposits return': 'two' })
      const service = await startService({ OPERATOR_POLICIES: policies, RECONCILE_EVERY_SECONDS: '3' })
      await use(service)
      await service.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  world: [
    async ({ service }, use) => {
      const world = await makeWorld(service)
      await use(world)
      await world.partner.close()
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  visitor: [async ({ browser, service }, use) => use(await newPerson(browser, service, 'nobody')), { scope: 'worker' }],
  newcomer: [
    async ({ browser, service }, use) => use(await newPerson(browser, service, 'Story Wallet', newAccount())),
    { scope: 'worker' },
  ],
  founder: [
    async ({ browser, service }, use) => use(await newPerson(browser, service, 'Story Wallet', newAccount())),
    { scope: 'worker' },
  ],
  owner: [
    async ({ browser, service, world }, use) =>
      use(await newPerson(browser, service, 'Story Wallet', world.owner.account)),
    { scope: 'worker' },
  ],
  member: [
    async ({ browser, service, world }, use) =>
      use(await newPerson(browser, service, 'Story Wallet', world.partner.account)),
    { scope: 'worker' },
  ],
  operator: [
    async ({ browser, service }, use) => use(await newPerson(browser, service, 'Sandbox operator')),
    { scope: 'worker' },
  ],
})

type Act = (page: Page) => Promise<unknown>
type Shot = readonly [name: string, path: string | ((world: World) => string), act?: Act]

const press =
  (name: string | RegExp): Act =>
  async (page) =>
    page.getByRole('button', { name }).first().click()
const unfold: Act = async (page) => page.locator('main summary').first().click()

async function shoot({ page, open }: Person, world: World | null, [name, path, act]: Shot): Promise<void> {
  await open(typeof path === 'string' ? path : path(world as World))
  await act?.(page)
  await take(page, name)
}

/** Takes a screen with its small menu open. */
async function shootMenu({ page, open }: Person, path: string, name: string): Promise<void> {
  await page.setViewportSize(phone)
  await open(path)
  for (const language of ['English', 'Deutsch'] as const) {
    await speak(page, language)
    await page.evaluate(() => scrollTo(0, 0))
    await page.locator('button[aria-expanded="false"]').filter({ visible: true }).click()
    await page.screenshot({ path: join(folder, `${name}.${language}.png`) })
    // On a short page, the menu covers the choice of the language.
    await page.keyboard.press('Escape')
  }
  await speak(page, 'English')
  await page.setViewportSize(wide)
}

for (const shot of [
  ['sign-in-owner', '/app/'],
  ['sign-in-partner', '/console/partner'],
  ['sign-in-operator', '/console/operator'],
  ['missing', '/console/nowhere'],
  ['design', '/console/design'],
] satisfies Shot[])
  test(shot[0], async ({ visitor }) => shoot(visitor, null, shot))

for (const path of [
  ...['', 'reviews', 'deposits', 'payouts', 'webhooks/dead', 'users', 'partners', 'proposals', 'decisions'],
  ...['evidence', 'reads', 'search'],
]) {
  const name = `empty-operator-${path.replace('/', '-') || 'work-list'}`
  test(name, async ({ operator }) => shoot(operator, null, [name, `/console/operator/${path}`]))
}

test('onboarding shows each step to a new wallet', async ({ newcomer: { page, open } }) => {
  await open('/app/')
  await page.getByLabel('Email address').waitFor()
  await take(page, 'onboarding-1-email')
  await page.getByLabel('Email address').fill('a.person.with.a.long.name@internationale-zahlungsdienste.example')
  await press('Send code')(page)
  await page.getByLabel('Code from the email').fill('123456')
  await take(page, 'onboarding-2-code')
  await press('Confirm')(page)
  await expect(page.getByRole('heading', { name: 'Accept the terms' })).toBeVisible()
  await take(page, 'onboarding-3-terms')
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await press('Accept and continue')(page)
  const start = page.getByRole('link', { name: 'Start the check' })
  await start.waitFor()
  await take(page, 'onboarding-4-identity')
  const [check] = await Promise.all([page.waitForEvent('popup'), start.click()])
  await check.getByRole('button', { name: 'Approve' }).click()
  await expect(check.getByRole('definition').filter({ hasText: 'Approved' })).toBeVisible()
  await check.close()
  await expect(page.getByRole('heading', { name: 'Where does your money come from?' })).toBeVisible()
  await take(page, 'onboarding-5-funds')
  for (const select of await page.getByRole('combobox').all()) await select.selectOption({ index: 1 })
  await press('Continue')(page)
  await page.getByRole('button', { name: 'Open account' }).waitFor()
  await take(page, 'onboarding-6-account')
  await press('Open account')(page)
  await expect(page.getByText('No movements yet')).toBeVisible()
  for (const path of ['', 'statement', 'cards', 'deposit', 'withdraw']) {
    await open(`/app/${path}`)
    await take(page, `empty-owner-${path || 'home'}`)
  }
})

test('empty-partner shows every screen of a partner without data', async ({ founder: { page, open } }) => {
  test.setTimeout(600_000)
  await open('/console/partner')
  await take(page, 'empty-partner-join')
  await page.getByLabel('Name of the company').fill('Internationale Zahlungsdienste Schwarzenberg GmbH & Co. KG')
  await press('Sign up')(page)
  await page.getByRole('link', { name: 'Members' }).first().waitFor()
  for (const path of [
    ...['', 'users', 'statistics', 'api-keys', 'webhooks', 'events', 'requests', 'domains', 'members'],
    ...['kyc-clients', 'audit'],
  ]) {
    await open(`/console/partner/${path}`)
    await take(page, `empty-partner-${path || 'start'}`)
  }
})

for (const shot of [
  ['owner-home', '/app/', unfold],
  ['owner-statement', '/app/statement'],
  ['owner-statement-nothing', '/app/statement?type=card_transaction&from=2019-01-01&to=2019-01-02'],
  ['owner-payment', ({ owner }) => `/app/statement/${owner.cleared}`],
  ['owner-payment-declined', ({ owner }) => `/app/statement/${owner.declined}`],
  ['owner-cards', '/app/cards'],
  ['owner-cards-new', '/app/cards', press('New card')],
  ['owner-card', ({ owner }) => `/app/cards/${owner.cardId}`],
  ['owner-card-frozen', ({ owner }) => `/app/cards/${owner.frozen}`],
  ['owner-card-ended', ({ owner }) => `/app/cards/${owner.ended}`],
  ['owner-deposit', '/app/deposit'],
  ['owner-withdraw', '/app/withdraw'],
  ['owner-settings', '/app/settings'],
] satisfies Shot[])
  test(shot[0], async ({ owner, world }) => shoot(owner, world, shot))

const atPartner =
  (path: (world: World) => string): Shot[1] =>
  (world) =>
    `/console/partner/${path(world)}`

for (const shot of [
  ['partner-start', '/console/partner'],
  ['partner-users', '/console/partner/users'],
  ['partner-user', atPartner(({ owner }) => `users/${owner.userId}`)],
  ['partner-statistics', '/console/partner/statistics'],
  ['partner-api-keys', '/console/partner/api-keys'],
  ['partner-api-keys-new', '/console/partner/api-keys', press('Create a key')],
  ['partner-webhooks', '/console/partner/webhooks'],
  ['partner-webhooks-new', '/console/partner/webhooks', press('Add an endpoint')],
  ['partner-endpoint', atPartner(({ partner }) => `webhooks/${partner.endpoints.working}`)],
  ['partner-endpoint-failing', atPartner(({ partner }) => `webhooks/${partner.endpoints.failing}`)],
  ['partner-endpoint-dead', atPartner(({ partner }) => `webhooks/${partner.endpoints.dead}?status=dead`)],
  ['partner-endpoint-settings', atPartner(({ partner }) => `webhooks/${partner.endpoints.working}?tab=settings`)],
  ['partner-delivery', atPartner(({ partner, event }) => `webhooks/${partner.endpoints.dead}/${event}`)],
  ['partner-events', '/console/partner/events'],
  ['partner-event', atPartner(({ event }) => `events/${event}`)],
  ['partner-requests', '/console/partner/requests'],
  ['partner-domains', '/console/partner/domains'],
  ['partner-domains-new', '/console/partner/domains', press('Claim a domain')],
  ['partner-members', '/console/partner/members'],
  ['partner-members-new', '/console/partner/members', press('Invite a member')],
  ['partner-kyc-clients', '/console/partner/kyc-clients'],
  ['partner-audit', '/console/partner/audit'],
] satisfies Shot[])
  test(shot[0], async ({ member, world }) => shoot(member, world, shot))

test('partner-menu shows the open menu of a phone', async ({ member }) =>
  shootMenu(member, '/console/partner/kyc-clients', 'partner-menu'))

const at = '/console/operator'
const ofOwner =
  (path = ''): Shot[1] =>
  ({ owner }) =>
    `${at}/users/${owner.userId}${path}`

for (const shot of [
  ['operator-work-list', at],
  ['operator-reviews', `${at}/reviews`],
  ['operator-deposits-frozen', `${at}/deposits?state=frozen`],
  ['operator-deposits-untold', `${at}/deposits?state=untold`],
  ['operator-payouts', `${at}/payouts`],
  ['operator-payouts-unpaid', `${at}/payouts?state=unpaid`],
  ['operator-payout', ({ work }) => `${at}/payouts/${work.unpaid}`],
  ['operator-webhooks', `${at}/webhooks/dead`],
  ['operator-search', `${at}/search#OVER01`],
  ['operator-search-nothing', `${at}/search#nothing-that-exists`],
  ['operator-users', `${at}/users`],
  ['operator-user', ofOwner()],
  ['operator-user-blocked', ({ work }) => `${at}/users/${work.blocked.userId}`],
  ['operator-user-block', ofOwner(), press('Block the user')],
  ['operator-user-reveal', ofOwner(), press('Reveal')],
  ['operator-user-cards', ofOwner('/cards')],
  ['operator-user-statement', ofOwner('/statement')],
  ['operator-user-deposits', ofOwner('/deposits')],
  ['operator-user-withdrawals', ofOwner('/withdrawals')],
  ['operator-user-ledger', ofOwner('/ledger')],
  ['operator-user-events', ofOwner('/events')],
  ['operator-user-decisions', ({ work }) => `${at}/users/${work.blocked.userId}/decisions`],
  ['operator-user-rich-ledger', ({ work }) => `${at}/users/${work.rich.userId}/ledger`],
  [
    'operator-card-transaction',
    (world) => `${at}/users/${world.owner.userId}/card-transactions/${world.owner.cleared}`,
  ],
  ['operator-movement', ofOwner('/movements/2')],
  ['operator-partners', `${at}/partners`],
  ['operator-partner', ({ partner }) => `${at}/partners/${partner.partnerId}`],
  ['operator-proposals', `${at}/proposals`],
  ['operator-proposal-open', ({ work }) => `${at}/proposals/${work.open}`],
  ['operator-proposal-executed', ({ work }) => `${at}/proposals/${work.executed}`],
  ['operator-decisions', `${at}/decisions`],
  ['operator-decision', `${at}/decisions/2`],
  ['operator-switches', `${at}/switches`],
  ['operator-reconciliation', `${at}/reconciliation`],
  ['operator-chains', `${at}/chains`],
  ['operator-evidence', `${at}/evidence`],
  ['operator-sessions', `${at}/sessions`],
  ['operator-reads', `${at}/reads`],
  ['operator-operators', `${at}/operators`],
  ['operator-operators-new', `${at}/operators`, press('Add an operator')],
  ['operator-signing-keys', `${at}/signing-keys`],
  ['operator-domains', `${at}/domains`],
] satisfies Shot[])
  test(shot[0], async ({ operator, world }) => shoot(operator, world, shot))

test('operator-menu shows the open menu of a phone', async ({ operator }) =>
  shootMenu(operator, `${at}/signing-keys`, 'operator-menu'))

test('playground shows a timeline, code and scenarios', async ({ visitor: { page, open } }) => {
  await open('/console/playground')
  await page.getByText('is ready, with €100.00 and a card').waitFor()
  await take(page, 'playground-ready')
  await open('/console/playground')
  await press('Play the first scenario')(page)
  await page.getByText('Message 2 of 2').waitFor()
  await page.getByText('Delivered · 204').first().waitFor()
  await take(page, 'playground')
  await open('/console/playground')
  await unfold(page)
  await take(page, 'playground-code')
  await open('/console/playground?tab=scenarios')
  await take(page, 'playground-scenarios')
})

test('operator-reconciliation shows a row that was falsified', async ({ operator: { page, open }, service, world }) => {
  const { userId } = world.work.rich
  const change = 'update ledger_balance set available = available + 1, chain = chain - 1 where user_id = $1 returning 1'
  await falsify(service, change, [userId])
  const hasFinding = async () => {
    await open(`${at}/reconciliation`)
    return page.getByText(userId.slice(-4)).count()
  }
  await expect.poll(hasFinding).toBeGreaterThan(0)
  await take(page, 'operator-reconciliation-found')
  await open(at)
  await take(page, 'operator-work-list-found')
})
