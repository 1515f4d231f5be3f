import { afterAll, beforeAll, expect, test } from 'vitest'
import { finality, startWatched, type Watched } from '../watched.ts'

const eur = 10n ** 18n

let chain: Watched
beforeAll(async () => {
  chain = await startWatched()
})
afterAll(() => chain.stop())

test('a transfer is pending at first sight, and credited when its block is final', async () => {
  const user = await chain.service.newUser()
  const txHash = await chain.mint(user.accountAddress, 5n * eur)
  await chain.follow()
  expect(await chain.shown(user)).toMatchObject({
    own: 0n,
    processing: 5n * eur,
    items: [{ status: 'pending', txHash }],
  })
  await chain.mine(finality - 1)
  await chain.follow()
  expect(await chain.shown(user)).toMatchObject({ own: 0n, processing: 5n * eur })
  await chain.mine(1)
  await chain.follow()
  expect(await chain.shown(user)).toMatchObject({ own: 5n * eur, processing: 0n, items: [{ status: 'approved' }] })
  await chain.assertBooks(user)
})
