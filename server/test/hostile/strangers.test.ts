import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, connect, newWallet, signInMessage, type User } from '../acceptance/client.ts'
import { money, units } from '../acceptance/money.ts'

let client: Client
beforeAll(async () => {
  client = await connect()
})
afterAll(() => client.stop())

test('on every route with an id a stranger learns nothing: the answer is that of an id that does not exist', async () => {
  const bank = await money(client)
  const [owner, stranger] = [await client.newUser(), await client.newUser()]
  await bank.newCard(stranger)
  await bank.deposit(owner, units('100'))
  // A new kind of resource needs a line here: how its owner comes to have one.
  const owned: Record<string, () => Promise<string>> = {
    cardId: () => bank.newCard(owner),
    address: () => addWallet(owner),
  }
  const unowned: Record<string, () => string> = { cardId: randomUUID, address: () => newWallet().address }

  // What a route needs besides the id, and what its owner is answered where that is no 200.
  const view = { action: 'view-details', nonce: '1', signature: '0x' }
  const asking: Record<string, { query?: string; body?: unknown; ownerIsAnswered?: number }> = {
    '/pci/cards/{cardId}/challenge': { query: '?action=view-details' },
    '/pci/cards/{cardId}/token': { body: view, ownerIsAnswered: 403 },
  }

  const routes = client.document.operations.filter(({ path, isSandbox }) => path.includes('{') && !isSandbox)
  expect(routes.length).toBeGreaterThan(3)
  for (const { method, path } of routes) {
    const name = /\{([^}]+)\}/.exec(path)?.[1] ?? ''
    const make = owned[name]
    if (make === undefined) throw new Error(`${path}: how does one own a ${name}?`)
    const { query = '', body, ownerIsAnswered = 200 } = asking[path] ?? {}
    const ask = (id: string, token: string) =>
      client.request(method, `${path.replace(`{${name}}`, id)}${query}`, { token, body })
    const id = await make()
    const [theirs, nobodys] = [await ask(id, stranger.token), await ask(unowned[name]?.() ?? '', stranger.token)]
    expect([theirs.status, theirs.text], `${method} ${path}`).toEqual([nobodys.status, nobodys.text])
    expect(theirs.status).toBe(404)
    expect((await ask(id, owner.token)).status, `${method} ${path}`).toBe(ownerIsAnswered)
    await client.request('POST', `/cards/${id}/cancel`, { token: owner.token })
  }
})

async function addWallet({ userId, token }: User): Promise<string> {
  const wallet = newWallet()
  const statement = `Add this wallet as an owner of user ${userId}.`
  const message = signInMessage({ address: wallet.address, nonce: await client.nonce(), statement })
  const body = { message, signature: await wallet.signMessage({ message }) }
  return (await client.request('POST', '/user/owners', { token, body })).body.address
}
