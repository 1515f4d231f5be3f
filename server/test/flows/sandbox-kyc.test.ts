import { expect, test } from 'vitest'
import { newWallet, useService } from '../support/service.ts'

const service = useService()

/** Registers a user and returns the access token, and the path of the verification page. */
async function applicant() {
  const wallet = newWallet()
  const signedIn = await service.signIn(wallet)
  const email = `${wallet.address.slice(2, 12)}@example.org`
  await service.request('POST', '/email-verification', { token: signedIn, body: { email } })
  const { body } = await service.request('POST', '/user', { token: signedIn, body: { email, otp: '123456' } })
  const token: string = body.accessToken
  const { terms } = (await service.request('GET', '/terms', { token })).body
  await service.request('POST', '/user/terms', { token, body: { terms } })
  const { webSdkUrl } = (await service.request('GET', '/user/onboarding', { token })).body
  return { token, path: new URL(webSdkUrl).pathname }
}

const decide = (path: string, decision: string) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    body: String(new URLSearchParams({ decision })),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    redirect: 'manual',
  })

test('the verification page of the sandbox can approve a user, reject a user or ask for the documents again', async () => {
  const { token, path } = await applicant()
  const page = await service.request('GET', path)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  for (const text of ['Approve', 'Reject', 'Ask again', 'Not started']) expect(page.text).toContain(text)

  const statuses = [
    ['resubmissionRequested', 'action_kyc_resubmission_requested'],
    ['rejected', 'rejected'],
    ['approved', 'action_complete_sof'],
  ] as const
  for (const [decision, status] of statuses) {
    const decided = await decide(path, decision)
    expect([decided.status, decided.headers.get('location')]).toEqual([303, path])
    expect((await service.request('GET', '/user/onboarding', { token })).body.status).toBe(status)
  }
  expect((await service.request('GET', path)).text).toContain('Approved')
})

test('the verification page is in German in a German browser', async () => {
  const { path } = await applicant()
  const headers = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' }
  const { text } = await service.request('GET', path, { headers })
  for (const german of ['<html lang="de">', 'Identitätsprüfung', 'Bestätigen', 'Ablehnen', 'Nicht begonnen'])
    expect(text).toContain(german)
  const missing = await service.request('GET', `${path.slice(0, -5)}AAAAA`, { headers })
  expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('noch einmal aus der App')])
})

test('the verification page runs no script, and its policy allows only its style and its form', async () => {
  const { path } = await applicant()
  const { text, headers } = await service.request('GET', path)
  expect(text).not.toMatch(/<script|src=|href=|url\(/)
  expect(headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    expect.stringMatching(/^style-src 'sha256-[^']+'$/),
    "form-action 'self'",
    "base-uri 'none'",
  ])
  expect(headers.get('cache-control')).toBe('no-store')
})

test('a verification page with a wrong key or decision changes nothing', async () => {
  const { token, path } = await applicant()
  const strange = `${path.slice(0, -5)}AAAAA`
  expect((await service.request('GET', strange)).status).toBe(404)
  expect((await decide(strange, 'approved')).status).toBe(404)
  expect((await decide(path, 'closed')).status).toBe(400)
  expect((await service.request('GET', '/user/onboarding', { token })).body.status).toBe('action_complete_kyc')
})
