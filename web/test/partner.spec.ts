import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { apiKey, createPurser, PurserError } from '@purser/client'
import { eventTypes } from '../../server/src/events/rules.ts'
import { isWanted } from '../../server/src/webhooks/rules.ts'
import { roles, rolesWith } from '../src/console/partner/roles.ts'
import { crawl } from './crawl.ts'
import { expect, expectAccessible, expectAccessibleInBoth, test } from './fixtures.ts'
import { newCardholder } from './operator-world.ts'
import { operatorAt, propose } from './operators.ts'
import { addMember, newPartnerOwner, signInAsMember, startReceiver, walletAt } from './partner-world.ts'
import { expectGoodWhenSmall, smallest } from './small.ts'
import { installWallet } from './wallet.ts'

/** The stories of a partner's members, on a real service. */

const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text })
const open = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: true }).click()

const shownSecret = (page: Page, title: string | RegExp) =>
  page.getByRole('figure', { name: title }).locator('pre').innerText()

/** Returns the code with which the service rejects a request. */
async function codeOf(request: PromiseLike<unknown>): Promise<string> {
  try {
    await request
  } catch (error) {
    if (error instanceof PurserError) return `${error.status} ${error.code}`
    throw error
  }
  return 'accepted'
}

test('the page of an endpoint says why no events of users reach it', async ({ page, service }) => {
  const { purser } = await newPartnerOwner(page, service)
  const { endpointId } = await purser.partner.webhooks.create({ url: 'https://hooks.example.com/purser' })
  await page.goto(`/console/partner/webhooks/${endpointId}`)
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByText('You have no verified domain, so no user can join you and cause events.')).toBeVisible()
  await expectAccessible(page)
})

test('a new company signs up, proves its domain, and sees the first user who registers there', async ({
  page,
  service,
  expectedMessages,
}) => {
  // The wallet is no member yet, and the first proof is not found.
  expectedMessages.push(/403/, /422/)
  await installWallet(page.context())
  await page.goto('/console/partner')
  await expect(page.getByRole('heading', { name: 'Sign in as a partner' })).toBeVisible()
  await expectAccessibleInBoth(page)
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await expect(page.getByRole('heading', { name: 'Join a partner' })).toBeVisible()
  await expectAccessibleInBoth(page)
  await page.getByLabel('Name of the company').fill('Northwind Pay')
  await page.getByRole('button', { name: 'Sign up' }).click()
  const steps = page.getByRole('listitem')
  await expect(steps.filter({ hasText: 'A domain that signs users in – open' })).toBeVisible()

  await page.getByRole('link', { name: 'Claim a domain' }).click()
  const domain = `app-${Date.now()}.example.com`
  const claim = async (name: string) => {
    await page.getByRole('button', { name: 'Claim a domain' }).first().click()
    await page.getByRole('textbox', { name: 'Domain' }).fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Claim a domain' }).click()
    await expect(page.getByRole('dialog')).toBeHidden()
  }
  const panel = (name: string) => page.locator('section').filter({ hasText: name })

  // The sandbox finds no proof on domains that end in .invalid.
  await claim('app.invalid')
  await panel('app.invalid').getByRole('button', { name: 'Check the proof' }).click()
  await expect(page.getByText('Neither the DNS record nor the file was found.', { exact: false })).toBeVisible()
  await expect(page.getByRole('figure', { name: 'Content of the TXT record' })).toContainText('purser-domain=')
  await expectAccessible(page)
  await panel('app.invalid').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No domains yet')).toBeVisible()

  await claim(domain)
  const user = walletAt(service, undefined, `https://${domain}`)
  const email = `ada-${Date.now()}@example.com`
  expect(await codeOf(user.purser.user.sendEmailCode({ email }))).toBe('401 DOMAIN_NOT_ALLOWED')
  await panel(domain).getByRole('button', { name: 'Check the proof' }).click()
  await expect(panel(domain)).toContainText('Verified on')
  await open(page, 'Users')
  await expect(page.getByText('No users yet')).toBeVisible()

  await user.purser.user.sendEmailCode({ email })
  const { userId } = await user.purser.user.create({ email, otp: '123456' })
  await expect(row(page, userId)).toBeVisible()
  await row(page, userId).getByRole('link', { name: 'Open' }).click()
  await expect(page.getByText('users:details')).toBeVisible()
  await expectAccessible(page)
  await open(page, 'Start')
  await expect(steps.filter({ hasText: 'The first user – done' })).toBeVisible()
})

test('an API key with one scope is shown once, works, is rotated with an overlap, and ends when it is revoked', async ({
  page,
  service,
}) => {
  const { purser, partnerId } = await newPartnerOwner(page, service)
  await newCardholder(service, { partnerId, money: 0 })
  const serverWith = (key: string) => createPurser({ baseUrl: service.url, auth: apiKey(key), maxRetries: 0 }).partner
  await signInAsMember(page, '/api-keys')
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Back office')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Choose at least one scope.')
  await expectAccessibleInBoth(page)
  await dialog.getByLabel('List users').check()
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  const first = await shownSecret(page, 'The new key “Back office”')
  await expectAccessible(page)

  const firstServer = serverWith(first)
  expect((await firstServer.users.list()).data).toHaveLength(1)
  expect(await codeOf(firstServer.events.list())).toBe('403 NOT_PERMITTED')
  expect(await codeOf(firstServer.domains.claim({ domain: 'stolen.example', environment: 'sandbox' }))).toBe(
    '403 NOT_PERMITTED',
  )
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await expect(row(page, 'Back office')).toContainText(`psk_…${first.slice(-4)}`)
  await signInAsMember(page, '/api-keys')
  await expect(row(page, 'Back office')).toContainText('Valid')
  expect(await page.content()).not.toContain(first)

  await row(page, 'Back office').getByRole('button', { name: 'Rotate' }).click()
  await expectAccessible(page)
  await page.getByLabel('How long the old one stays valid').selectOption({ label: '7 days' })
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  const second = await shownSecret(page, 'The new key “Back office”')
  expect(second).not.toBe(first)
  const secondServer = serverWith(second)
  for (const server of [firstServer, secondServer]) expect((await server.users.list()).data).toHaveLength(1)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await expect(row(page, first.slice(-4))).toContainText('Until')

  await row(page, first.slice(-4)).getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(row(page, first.slice(-4))).toHaveCount(0)
  expect(await codeOf(firstServer.users.list())).toMatch(/^401 /)
  expect((await secondServer.users.list()).data).toHaveLength(1)
  await row(page, second.slice(-4)).getByRole('button', { name: 'Rotate' }).click()
  await page.getByLabel('How long the old one stays valid').selectOption({ label: 'Not at all' })
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  const third = await shownSecret(page, 'The new key “Back office”')
  expect(await codeOf(secondServer.users.list())).toMatch(/^401 /)
  expect((await serverWith(third).users.list()).data).toHaveLength(1)
  await page.getByLabel('Show expired and revoked keys').check()
  await expect(row(page, first.slice(-4))).toContainText('Revoked on')

  // Each step is in the audit log, and none of the keys is.
  const { data } = await purser.partner.audit.list()
  expect(data.map(({ action }) => action).filter((action) => action.startsWith('api-key'))).toEqual(
    expect.arrayContaining(['api-key.made', 'api-key.rotated', 'api-key.revoked']),
  )
  for (const key of [first, second, third]) expect(JSON.stringify(data)).not.toContain(key)
})

test('an expired API key is shown as expired, and the start page asks for a key again', async ({
  page,
  service,
  expectedMessages,
}) => {
  // Some reads of the playground are under way when the clock moves, and get a 401.
  expectedMessages.push(/401/)
  const { purser } = await newPartnerOwner(page, service)
  await purser.partner.apiKeys.create({ name: 'Back office', scopes: ['users:read'], ttlInSeconds: 1_800 })
  await page.goto('/console/playground')
  await page.getByRole('button', { name: '+1 hour' }).click()
  await expect(page.getByText('The clock of the service shows')).toBeVisible()
  await page.getByRole('link', { name: 'Partners' }).click()
  await page.getByRole('button', { name: 'Story Wallet' }).click()
  await open(page, 'API keys')
  await page.getByLabel('Show expired and revoked keys').check()
  await expect(row(page, 'Back office')).toContainText('Expired on')
  await open(page, 'Start')
  await expect(page.getByRole('listitem').filter({ hasText: 'An API key for your server – open' })).toBeVisible()
})

test('dead letters of a server with a wrong secret are resent by time and arrive with valid signatures', async ({
  page,
  service,
}) => {
  const receiver = await startReceiver()
  try {
    const { purser, partnerId } = await newPartnerOwner(page, service)
    await signInAsMember(page, '/webhooks')
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click()
    await page.getByLabel('URL').fill(receiver.url)
    await expectAccessibleInBoth(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Add an endpoint' }).click()
    const secret = await shownSecret(page, 'The secret of the new endpoint')
    expect(secret).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await expect(page.getByText(secret)).toHaveCount(0)

    const user = await newCardholder(service, { partnerId })
    await user.send('authorization', '10.00', 'RESEND')
    await user.send('clearing', '12.00', 'RESEND')
    const log = async () => (await purser.partner.events.list({ limit: 100 })).data.map(({ id }) => id)
    await expect
      .poll(async () => (await purser.partner.events.list({ limit: 100 })).data.map(({ type }) => type))
      .toContain('card.transaction.settled')
    const [endpoint] = (await purser.partner.webhooks.list()).data
    const dead = async () =>
      (await purser.partner.webhooks.listDeliveries(endpoint?.endpointId ?? '', { status: 'dead', limit: 100 })).data
    // A balance event follows the last movement.
    await expect
      .poll(async () => [(await dead()).length, receiver.statuses.length])
      .toEqual([(await log()).length, (await log()).length])
    expect(new Set(receiver.statuses)).toEqual(new Set([401]))
    expect(receiver.events).toEqual([])

    await open(page, 'Start')
    await page.getByRole('link', { name: /dead letters$/ }).click()
    await expect(page).toHaveURL(/status=dead/)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'card.transaction.settled' }).click()
    await expect(page.getByRole('list').getByText('401')).toBeVisible()
    await expectAccessible(page)
    await page.goBack()

    receiver.trust(secret)
    await page.getByRole('button', { name: 'Resend by time' }).click()
    const dialog = page.getByRole('dialog')
    await expectAccessibleInBoth(page)
    const day = (offset: number) => `${new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)}T00:00`
    await dialog.getByLabel('From').fill(day(-3))
    await dialog.getByLabel('Until').fill(day(-2))
    await dialog.getByRole('button', { name: 'Resend' }).click()
    await expect(dialog.getByText('No delivery was resent.')).toBeVisible()
    expect(receiver.events).toEqual([])
    await dialog.getByLabel('From').fill(day(-1))
    await dialog.getByLabel('Until').fill(day(2))
    const ids = await log()
    await dialog.getByRole('button', { name: 'Resend' }).click()
    await expect(dialog.getByText(`${ids.length} deliveries are on their way again.`)).toBeVisible()
    await dialog.getByText('Close', { exact: true }).click()
    await expect.poll(() => receiver.events.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    await expect(page.getByText('Nothing matches')).toBeVisible()
    await page.getByRole('button', { name: 'Show everything' }).click()
    await expect(page.getByRole('cell', { name: 'Delivered' })).toHaveCount(ids.length)
    await open(page, 'Start')
    await expect(page.getByRole('link', { name: /dead letter/ })).toHaveCount(0)
    await expect(page.getByText('Enabled')).toBeVisible()
  } finally {
    await receiver.close()
  }
})

test('a test event arrives, a disabled endpoint gets none, and a viewer neither sees a button nor may change anything', async ({
  page,
  newPerson,
  service,
  expectedMessages,
}) => {
  // The invited wallet is no member yet.
  expectedMessages.push(/403/)
  const receiver = await startReceiver()
  try {
    const { purser, partnerId } = await newPartnerOwner(page, service)
    const { endpointId, secret } = await purser.partner.webhooks.create({ url: receiver.url })
    receiver.trust(secret)
    const { userId } = await newCardholder(service, { partnerId, money: 0 })
    await signInAsMember(page, `/webhooks/${endpointId}`)
    await page.getByLabel('Test event').selectOption('deposit.approved')
    await page.getByRole('button', { name: 'Send a test event' }).click()
    const result = page.getByRole('status').filter({ hasText: 'Show the delivery' })
    await expect(result).toContainText('Delivered')
    await expect(result).toContainText('204')
    await result.getByRole('link', { name: 'Show the delivery' }).click()
    await expect(page.getByRole('figure').filter({ hasText: '"test": true' })).toBeVisible()
    await page.goBack()

    const viewerPage = await newPerson()
    const viewer = walletAt(service, await installWallet(viewerPage.context()))
    await open(page, 'Members')
    await page.getByRole('button', { name: 'Invite a member' }).click()
    await page.getByLabel('Address of the wallet').fill(viewer.address)
    await page.getByLabel('Role', { exact: true }).selectOption('Viewer')
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Invite a member' }).click()
    await expect(page.getByRole('table', { name: 'Open invitations' })).toContainText('Viewer')
    await signInInvited(viewerPage)

    const names = /^(Change|Rename|Claim|Check|Remove|Invite|Revoke|Rotate|Create|Add|Disable|Enable|Send|Resend|Save)/
    const screens = await crawl(viewerPage, {
      within: '/console/partner',
      async onScreen() {
        await expect(viewerPage.getByRole('main').getByRole('button', { name: names }), viewerPage.url()).toHaveCount(0)
      },
    })
    expect(screens.filter((screen) => screen.includes('Settings'))).toHaveLength(1)
    const refused = [
      () => viewer.purser.partner.rename({ name: 'Other' }),
      () => viewer.purser.partner.domains.claim({ domain: 'viewer.example', environment: 'sandbox' }),
      () => viewer.purser.partner.kycClients.add({ clientId: 'viewer' }),
      () => viewer.purser.partner.apiKeys.create({ name: 'Server', scopes: ['users:read'] }),
      () => viewer.purser.partner.webhooks.update(endpointId, { status: 'disabled' }),
      () => viewer.purser.partner.webhooks.remove(endpointId),
      () => viewer.purser.partner.webhooks.rotateKeys(endpointId, {}),
      () => viewer.purser.partner.webhooks.test(endpointId, { type: 'deposit.approved' }),
      () => viewer.purser.partner.webhooks.resendDeadLetters(endpointId, { status: 'all' }),
      () => viewer.purser.partner.invitations.create({ address: viewer.address, role: 'owner' }),
      () => viewer.purser.partner.members.update(viewer.address, { role: 'owner' }),
      () => viewer.purser.partner.users.get(userId),
    ]
    for (const request of refused) expect(await codeOf(request())).toBe('403 NOT_PERMITTED')

    await open(page, 'Webhooks')
    await page.getByRole('link', { name: receiver.url }).click()
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await expect(page.getByRole('button', { name: 'Enable' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Send a test event' })).toBeHidden()
    expect(await codeOf(purser.partner.webhooks.test(endpointId, { type: 'deposit.approved' }))).toBe(
      '409 ENDPOINT_DISABLED',
    )
    const later = await newCardholder(service, { partnerId, money: 0 })
    const missed = async () => (await purser.partner.events.list({ userId: later.userId })).data
    await expect.poll(async () => (await missed()).map(({ type }) => type)).toContain('card.created')
    const ids = (await missed()).map(({ id }) => id)
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await expect(result).toContainText('204')
    // Events from the time in which the endpoint was disabled are only in the log.
    expect(receiver.events.filter(({ id }) => ids.includes(id))).toEqual([])
  } finally {
    await receiver.close()
  }
})

/** Signs in a wallet with one invitation, and accepts it. */
async function signInInvited(page: Page) {
  await signInAsMember(page)
  await expect(page.getByText('Example Wallet')).toBeVisible()
  await page.getByRole('button', { name: 'Accept' }).click()
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Join a partner')
}

test('the second of two members who change the same endpoint sees the conflict and decides', async ({
  page,
  newPerson,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/409/)
  const owner = await newPartnerOwner(page, service)
  const { endpointId } = await owner.purser.partner.webhooks.create({ url: 'http://localhost:9/hook' })
  const otherPage = await newPerson()
  const developer = walletAt(service, await installWallet(otherPage.context()))
  await addMember(owner.purser, developer, 'developer')
  const settings = `/webhooks/${endpointId}?tab=settings`
  await signInAsMember(page, settings)
  await signInAsMember(otherPage, settings)
  const change = async (of: Page, description: string) => {
    await of.getByLabel('Description').fill(description)
    await of.getByRole('button', { name: 'Save', exact: true }).click()
  }
  const saved = async () => (await owner.purser.partner.webhooks.get(endpointId)).description

  // Both forms are open before either member saves.
  await expect(otherPage.getByLabel('Description')).toBeEnabled()
  await change(page, 'Accounting')
  await expect(page.getByText('The settings are saved.')).toBeVisible()
  await change(otherPage, 'Ledger')
  const conflict = otherPage.getByRole('alert')
  await expect(conflict).toContainText('Another member has changed this endpoint')
  await expect(conflict.getByRole('row').filter({ hasText: 'Accounting' })).toContainText('Ledger')
  await expectAccessibleInBoth(otherPage)
  expect(await saved()).toBe('Accounting')
  await conflict.getByRole('button', { name: 'Discard my input' }).click()
  await expect(otherPage.getByLabel('Description')).toHaveValue('Accounting')
  await expect(conflict).toHaveCount(0)
  expect(await saved()).toBe('Accounting')

  // The form has taken over the new version, so the next change of the second member succeeds.
  await change(otherPage, 'Ledger')
  await expect(otherPage.getByText('The settings are saved.')).toBeVisible()
  expect(await saved()).toBe('Ledger')

  // Now the first member is late, and keeps its input on purpose.
  await change(page, 'Bookkeeping')
  await page.getByRole('alert').getByRole('button', { name: 'Save my input anyway' }).click()
  await expect(page.getByText('The settings are saved.')).toBeVisible()
  expect(await saved()).toBe('Bookkeeping')
})

test('the settings of an endpoint show each event that its filters match, and the filter that includes it', async ({
  page,
  service,
}) => {
  const { purser } = await newPartnerOwner(page, service)
  const events = ['card.*', 'kyc.*', 'account.balance.*', 'deposit.approved']
  const { endpointId } = await purser.partner.webhooks.create({ url: 'http://localhost:9/hook', events })
  await signInAsMember(page, `/webhooks/${endpointId}?tab=settings`)
  const box = (name: string) => page.getByLabel(name, { exact: true })
  for (const type of eventTypes) await expect(box(type)).toBeChecked({ checked: isWanted(events, type) })
  const group = (name: string) => page.locator('details').filter({ has: page.getByText(name, { exact: true }) })
  await expect(group('card.transaction.*').locator('summary')).toContainText('All')
  await group('card.transaction.*').locator('summary').click()
  await expect(group('card.transaction.*')).toContainText('Included in card.*.')
  await expect(box('card.transaction.settled')).toBeDisabled()
  await expect(group('account.*').locator('summary')).toContainText('1 of 6')
  await expectAccessible(page)

  await box('deposit.approved').uncheck()
  await expect(box('deposit.approved')).toBeVisible()
  await expect(box('deposit.approved')).toBeFocused()
  await box('kyc.*').uncheck()
  await expect(box('kyc.*')).toBeFocused()
  await expect(group('kyc.profile.*').locator('summary')).toContainText('0 of 8')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('The settings are saved.')).toBeVisible()
  expect(await purser.partner.webhooks.get(endpointId)).toMatchObject({ events: ['card.*', 'account.balance.*'] })
})

test('settings are saved without a conflict after the same member has disabled the endpoint', async ({
  page,
  service,
}) => {
  const { purser } = await newPartnerOwner(page, service)
  const { endpointId } = await purser.partner.webhooks.create({ url: 'http://localhost:9/hook' })
  await signInAsMember(page, `/webhooks/${endpointId}?tab=settings`)
  await expect(page.getByLabel('Description')).toBeEnabled()
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByRole('button', { name: 'Enable' })).toBeVisible()
  await page.getByLabel('Description').fill('Accounting')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'The settings are saved.' })).toBeVisible()
  expect(await purser.partner.webhooks.get(endpointId)).toMatchObject({
    description: 'Accounting',
    status: 'disabled',
  })
})

test('the role of a member changes only after a dialog that says which API keys and invitations end', async ({
  page,
  service,
}) => {
  const owner = await newPartnerOwner(page, service)
  const developer = await addMember(owner.purser, walletAt(service), 'developer')
  await developer.purser.partner.apiKeys.create({ name: 'Deployment', scopes: ['webhooks:write'] })
  const roleOf = async () =>
    (await owner.purser.partner.members.list()).data.find(({ address }) => address === developer.address)?.role
  await signInAsMember(page, '/members')
  const members = page.getByRole('table', { name: 'Members' }).getByRole('row')
  await members.filter({ hasText: 'Developer' }).getByRole('button', { name: 'Change role' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('A lower role revokes the API keys of this wallet')
  await expect(dialog).toContainText('If the wallet was an owner, the open invitations that it sent also end.')
  await expect(dialog.getByRole('button', { name: 'Change role' })).toBeDisabled()
  await dialog.getByLabel('Role', { exact: true }).selectOption('Viewer')
  await expectAccessibleInBoth(page)
  expect(await roleOf()).toBe('developer')
  await dialog.getByRole('button', { name: 'Change role' }).click()
  await expect(dialog).toBeHidden()
  await expect(members.filter({ hasText: 'Viewer' })).toHaveCount(1)
  expect(await roleOf()).toBe('viewer')
  const [key] = (await owner.purser.partner.apiKeys.list()).data
  expect(key?.revokedAt).not.toBeNull()
})

test('the page of an event follows a resent delivery until it arrives', async ({ page, service }) => {
  const receiver = await startReceiver()
  try {
    const { purser, partnerId } = await newPartnerOwner(page, service)
    const { endpointId, secret } = await purser.partner.webhooks.create({ url: receiver.url })
    await newCardholder(service, { partnerId, money: 0 })
    const dead = async () => (await purser.partner.webhooks.listDeliveries(endpointId, { status: 'dead' })).data
    await expect.poll(async () => (await dead()).length).toBeGreaterThan(0)
    const [delivery] = await dead()
    await signInAsMember(page, `/events/${delivery?.eventId}`)
    const deliveries = page.getByRole('table', { name: 'Deliveries' })
    await expect(deliveries).toContainText('401')
    receiver.trust(secret)
    await page.getByRole('button', { name: 'Resend' }).click()
    await expect(page.getByRole('status').filter({ hasText: '1 delivery is on its way again.' })).toBeVisible()
    await expect(deliveries).toContainText('Delivered')
    await expect(deliveries).toContainText('204')
  } finally {
    await receiver.close()
  }
})

test('a page says that dead letters or the result of a test event cannot be read, and shows them after a retry', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/403/)
  const { purser } = await newPartnerOwner(page, service)
  const { endpointId } = await purser.partner.webhooks.create({ url: 'http://localhost:9/hook' })
  const refused = { status: 403, json: { success: false, error: 'NOT_PERMITTED' } }
  const failure = page.getByRole('main').getByRole('alert')
  const dead = /\/deliveries\?.*status=dead/
  await page.route(dead, (route) => route.fulfill(refused))
  await signInAsMember(page, '/webhooks')
  await expect(row(page, 'http://localhost:9/hook').getByRole('alert')).toContainText('NOT_PERMITTED')
  await expectAccessible(page)
  await page.unroute(dead)
  await failure.getByRole('button', { name: 'Try again' }).click()
  await expect(failure).toHaveCount(0)

  const result = /\/deliveries\/evt_/
  await page.route(result, (route) => route.fulfill(refused))
  await signInAsMember(page, `/webhooks/${endpointId}`)
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await expect(failure).toContainText('NOT_PERMITTED')
  await page.unroute(result)
  await failure.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Show the delivery' })).toBeVisible()
  await expect(failure).toHaveCount(0)
})

test('a filter keeps exactly the text that a person types, even after a reload', async ({ page, service }) => {
  await newPartnerOwner(page, service)
  await signInAsMember(page, '/audit')
  const subject = page.getByLabel('Subject')
  for (const text of ['1.10', '1e3', '12345678901234567890', 'true', '"a b"']) {
    await subject.fill('')
    await subject.pressSequentially(text)
    await expect(page).toHaveURL((url) => url.searchParams.get('subject') === text)
    await expect(subject).toHaveValue(text)
  }
  await signInAsMember(page, '/audit?subject=1.10')
  await expect(subject).toHaveValue('1.10')
  await expect(page).toHaveURL(/subject=1\.10$/)
})

test('a new secret stays on the page until it is stored, even while another tab or a second secret is shown', async ({
  page,
  service,
}) => {
  const { purser } = await newPartnerOwner(page, service)
  const { endpointId } = await purser.partner.webhooks.create({ url: 'http://localhost:9/hook' })
  await signInAsMember(page, `/webhooks/${endpointId}?tab=keys`)
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  const secret = await shownSecret(page, 'The new secret')
  await page.getByText('Deliveries', { exact: true }).first().click()
  await expect(page.getByRole('button', { name: 'Send a test event' })).toBeVisible()
  expect(await shownSecret(page, 'The new secret')).toBe(secret)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await expect(page.getByText(secret)).toHaveCount(0)

  await open(page, 'API keys')
  const dialog = page.getByRole('dialog')
  for (const name of ['Shop', 'Back office']) {
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByLabel('List users').check()
    await dialog.getByRole('button', { name: 'Create a key' }).click()
    await expect(page.getByRole('heading', { name: `The new key “${name}”` })).toBeFocused()
  }
  const first = await shownSecret(page, 'The new key “Shop”')
  await page.getByRole('button', { name: 'I have stored it' }).first().click()
  await expect(page.getByRole('heading', { name: 'The new key “Back office”' })).toHaveCount(0)
  expect(await shownSecret(page, 'The new key “Shop”')).toBe(first)
  await expectAccessible(page)

  await open(page, 'Webhooks')
  for (const path of ['second', 'third']) {
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click()
    await dialog.getByLabel('URL').fill(`http://localhost:9/${path}`)
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click()
    await expect(dialog).toBeHidden()
  }
  for (const path of ['second', 'third']) {
    expect(await shownSecret(page, `The secret of the new endpoint http://localhost:9/${path}`)).toMatch(/^whsec_/)
  }
})

test('the new secret of an endpoint never appears on the page of another endpoint', async ({ page, service }) => {
  const { purser } = await newPartnerOwner(page, service)
  const { endpointId } = await purser.partner.webhooks.create({ url: 'http://localhost:9/first' })
  await purser.partner.webhooks.create({ url: 'http://localhost:9/second' })
  await signInAsMember(page, `/webhooks/${endpointId}?tab=keys`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('http://localhost:9/first')
  await open(page, 'Webhooks')
  await page.getByRole('link', { name: 'http://localhost:9/second' }).click()
  await page.getByText('Signing keys', { exact: true }).click()
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  const secret = page.getByText(/^whsec_/)
  await expect(secret).toBeVisible()
  await page.evaluate(() => history.go(-2))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('http://localhost:9/first')
  await expect(secret).toHaveCount(0)
})

test('a developer who rotates a key that has an owner-only scope sees which permission is missing', async ({
  page,
  service,
  expectedMessages,
}) => {
  expectedMessages.push(/403/)
  const owner = walletAt(service)
  const { partnerId } = await owner.purser.partner.create({ name: 'Example Wallet' })
  await propose(operatorAt(service), {
    ...{ command: 'partner details', subject: partnerId, arguments: { details: 'on' }, reason: 'A contract' },
  })
  await owner.purser.partner.apiKeys.create({ name: 'Back office', scopes: ['users:read', 'users:details'] })
  await addMember(owner.purser, walletAt(service, await installWallet(page.context())), 'developer')
  await signInAsMember(page, '/api-keys')
  await row(page, 'Back office').getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await expect(page.getByRole('alert')).toContainText('Your role lacks the permission users:details.')
})

test('in production, every claim is for production, and a domain for a sandbox has no proof to check', async ({
  page,
  service,
}) => {
  const { purser } = await newPartnerOwner(page, service)
  await purser.partner.domains.claim({ domain: 'sandbox.invalid', environment: 'sandbox' })
  // The service of the stories is a sandbox. Only the page believes that it is not.
  await page.route('**/console/partner/domains', async (route) => {
    const response = await route.fetch()
    const html = await response.text()
    await route.fulfill({ response, body: html.replace(/(mode&quot;:&quot;)sandbox/, '$1production') })
  })
  await signInAsMember(page, '/domains')
  await expect(page.getByText('This domain is only for a sandbox.', { exact: false })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Check the proof' })).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Claim a domain' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Environment')).toHaveCount(0)
  await dialog.getByRole('textbox', { name: 'Domain' }).fill('app.invalid')
  await dialog.getByRole('button', { name: 'Claim a domain' }).click()
  await expect(page.getByRole('button', { name: 'Check the proof' })).toHaveCount(1)
  expect((await purser.partner.domains.list()).data).toContainEqual(
    expect.objectContaining({ domain: 'app.invalid', environment: 'production' }),
  )
})

test('the role matrix of the console equals that of the service', async ({ page, service }) => {
  const owner = await newPartnerOwner(page, service)
  await propose(operatorAt(service), {
    ...{ command: 'partner details', subject: owner.partnerId, arguments: { details: 'on' }, reason: 'A contract' },
  })
  const members = {
    owner,
    developer: await addMember(owner.purser, walletAt(service), 'developer'),
    viewer: await addMember(owner.purser, walletAt(service), 'viewer'),
  }
  for (const role of roles) {
    const { permissions } = await members[role].purser.partner.get()
    const shown = Object.entries(rolesWith).filter(([, having]) => (having as readonly string[]).includes(role))
    expect(shown.map(([permission]) => permission).toSorted(), role).toEqual(permissions.toSorted())
  }
})

test('the audit log lists reads of the details of users, and a filter selects one user', async ({ page, service }) => {
  const { purser, partnerId } = await newPartnerOwner(page, service)
  await propose(operatorAt(service), {
    ...{ command: 'partner details', subject: partnerId, arguments: { details: 'on' }, reason: 'A contract' },
  })
  const [one, other] = [await newCardholder(service, { partnerId }), await newCardholder(service, { partnerId })]
  for (const { userId } of [one, other]) await purser.partner.users.get(userId)
  await signInAsMember(page, '/audit')
  await expect(row(page, 'Details of a user read')).toHaveCount(2)
  await page.getByLabel('Subject').fill(one.userId)
  await expect(row(page, 'Details of a user read')).toHaveCount(1)
  await expect(page).toHaveURL(new RegExp(`subject=${one.userId}`))
  await page.getByLabel('Subject').fill('nobody')
  await page.getByRole('button', { name: 'Show everything' }).click()
  await expect(row(page, 'Details of a user read')).toHaveCount(2)
})

test('every screen of partners is reached by its links, is accessible, and fits a small page', async ({
  page,
  service,
}) => {
  // Two checks of each screen take minutes on a busy machine.
  test.setTimeout(600_000)
  const { purser, partnerId } = await newPartnerOwner(page, service)
  await propose(operatorAt(service), {
    ...{ command: 'partner details', subject: partnerId, arguments: { details: 'on' }, reason: 'A contract' },
  })
  await purser.partner.webhooks.create({ url: 'http://localhost:9/hook', description: 'Accounting' })
  const { domain } = await purser.partner.domains.claim({ domain: 'shop.example', environment: 'production' })
  await purser.partner.domains.verify(domain)
  await purser.partner.domains.claim({ domain: 'app.invalid', environment: 'sandbox' })
  await purser.partner.apiKeys.create({ name: 'Back office', scopes: ['users:read', 'events:read'] })
  await purser.partner.kycClients.add({ clientId: 'example.client' })
  await purser.partner.invitations.create({ address: walletAt(service).address, role: 'developer' })
  const user = await newCardholder(service, { partnerId })
  await user.send('authorization', '10.00', 'SCREEN')
  const types = async () => (await purser.partner.events.list({ limit: 100 })).data.map(({ type }) => type)
  await expect.poll(types).toContain('card.transaction.pending')

  await page.setViewportSize(smallest)
  await signInAsMember(page)
  const screens = await crawl(page, {
    within: '/console/partner',
    onScreen: () => expectGoodWhenSmall(page),
  })
  const routes = readFileSync(join(import.meta.dirname, '../src/console/partner/routes.tsx'), 'utf8')
  const paths = [...routes.matchAll(/path: '\/([^']*)'/g)].map(([, path = '']) => path.replace(/\$\w+/g, '*'))
  const visited = new Set(screens.map((screen) => screen.replace(/^\/console\/partner\/?|[? ].*/g, '')))
  expect(paths.filter((path) => path !== 'partner' && !visited.has(path))).toEqual([])
})
