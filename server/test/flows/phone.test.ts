import { expect, test } from 'vitest'
import { newWallet, useService } from '../support/service.ts'

const service = useService({ worker: false })

const read = (token: string) => service.request('GET', '/phone', { token })

test('there is no phone number until a card was created; then it is that of the first card', async () => {
  const { token } = await service.newUser()
  const before = await read(token)
  expect([before.status, before.text]).toEqual([404, '{"success":false,"error":"PHONE_NOT_FOUND"}'])
  const create = (body: object) => service.request('POST', '/cards/virtual', { token, body })
  const { body } = await create({ cardName: 'First', phone: '+12025550123' })
  await create({ cardName: 'Second', phone: '+4915123456789' })
  const after = await read(token)
  expect([after.status, after.text]).toEqual([200, '{"phone":"+12025550123","countryCode":"1"}'])

  await service.request('POST', `/cards/${body.cardId}/cancel`, { token })
  expect((await read(token)).status).toBe(200)
})

test("another user sees no phone number of this one's, and a wallet without a user none at all", async () => {
  const stranger = await service.newUser()
  expect((await read(stranger.token)).status).toBe(404)
  const answer = await read(await service.signIn(newWallet()))
  expect([answer.status, answer.body]).toEqual([401, { success: false, error: 'NOT_REGISTERED' }])
})
