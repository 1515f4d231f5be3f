import { expect, test } from 'vitest'
import { newWallet, useService } from '../support/service.ts'

const service = useService({ worker: false })

const read = (token: string) => service.request('GET', '/phone', { token })

test("a user's phone number is that of the first card, and the request gets 404 before any card exists", async () => {
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

test("a user does not see another user's phone number, and a wallet without a user gets 401", async () => {
  const stranger = await service.newUser()
  expect((await read(stranger.token)).status).toBe(404)
  const answer = await read(await service.signIn(newWallet()))
  expect([answer.status, answer.body]).toEqual([401, { success: false, error: 'NOT_REGISTERED' }])
})
