import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { newWallet, type Reply, startService, useService, type Wallet } from '../support/service.ts'

/**
 * A user who is interrupted at every step: the access token is lost, the process is replaced, the provider fails.
 * Completed steps stay completed, and the onboarding status names the next one.
 */
const service = useService({ worker: false })

/** Replaces the process on the same database and signs in again. */
async function comeBack(wallet: Wallet): Promise<string> {
  const { connection } = service
  await service.stop()
  Object.assign(service, await startService({ connection, worker: false }))
  return service.signIn(wallet)
}

const post = (token: string, path: string, body?: unknown) => service.request('POST', path, { token, body })
const get = (token: string, path: string) => service.request('GET', path, { token })
const next = async (token: string) => (await get(token, '/user/onboarding')).body
const failKyc = (calls: number) => service.ctx.sandbox?.kyc.failNext(calls)

test('onboarding interrupted at any step continues at that step', async () => {
  const wallet = newWallet()
  const email = `${randomUUID()}@example.org`
  let token = await service.signIn(wallet)
  expect((await post(token, '/email-verification', { email: 'ada@undeliverable.example' })).status).toBe(502)
  expect((await post(token, '/email-verification', { email })).status).toBe(200)

  // An earlier process sent the code, and the access token that requested it is lost.
  token = await comeBack(wallet)
  failKyc(1)
  const registration = { email, otp: '123456', shareToken: 'nobody' }
  expect((await post(token, '/user', registration)).status).toBe(502)
  const registered = await post(token, '/user', registration)
  expect(registered.status).toBe(201)
  const { userId } = registered.body

  // The client lost the response: signing in again finds the user.
  token = await service.signIn(wallet)
  expect((await get(token, '/user')).body).toMatchObject({ userId, kycStatus: 'notStarted', account: null })
  expect((await post(token, '/user', registration)).body.error).toBe('WALLET_IN_USE')
  expect(await next(token)).toEqual({ status: 'action_accept_tos' })
  const { terms } = (await get(token, '/terms')).body
  await post(token, '/user/terms', { terms })

  token = await comeBack(wallet)
  failKyc(1)
  expect(await next(token)).toEqual({ status: 'waiting_kyc_setup' })
  expect(await next(token)).toMatchObject({ status: 'action_complete_kyc', webSdkUrl: expect.stringMatching(/^http/) })
  await service.sandbox('PATCH', `/users/${userId}`, { kyc: 'resubmissionRequested' })
  token = await service.signIn(wallet)
  expect((await next(token)).status).toBe('action_kyc_resubmission_requested')
  await service.sandbox('PATCH', `/users/${userId}`, { kyc: 'approved' })

  token = await service.signIn(wallet)
  expect(await next(token)).toEqual({ status: 'action_complete_sof' })
  const { data } = (await get(token, '/source-of-funds')).body
  const answers = data.map(({ question, answers: [answer] }: { question: string; answers: string[] }) => ({
    question,
    answer,
  }))
  expect((await post(token, '/source-of-funds', { answers: answers.slice(1) })).status).toBe(422)
  token = await comeBack(wallet)
  expect(await next(token)).toEqual({ status: 'action_complete_sof' })
  expect((await post(token, '/source-of-funds', { answers })).status).toBe(200)

  token = await service.signIn(wallet)
  expect(await next(token)).toEqual({ status: 'action_create_account' })
  const opened = await Promise.all(Array.from({ length: 4 }, (): Promise<Reply> => post(token, '/user/account')))
  expect(opened.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(new Set(opened.map(({ body }) => body.accountId)).size).toBe(1)

  token = await service.signIn(wallet)
  expect(await next(token)).toEqual({ status: 'completed' })
  expect((await get(token, '/user/account')).body).toEqual(opened[0]?.body)
})
