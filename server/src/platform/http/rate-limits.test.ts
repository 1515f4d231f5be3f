import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { limitRequests } from './rate-limits.ts'

test('ten thousand other wallets do not reset the count of a wallet', async () => {
  const app = Fastify()
  await limitRequests(app, { config: readConfig({ RATE_LIMITS: 'code.wallet=1/3600' }) })
  app.decorateRequest('caller', null)
  app.decorateRequest('partner', null)
  app.get('/', async (request) => {
    const count = (wallet: string) => app.countLimited(request, 'code', 'wallet', wallet)
    await count('first')
    for (let i = 0; i < 10_000; i++) await count(`other ${i}`)
    await count('first')
  })
  expect((await app.inject('/')).body).toContain('RATE_LIMITED')
})
