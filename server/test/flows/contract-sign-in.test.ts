import { setTimeout as delay } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  padHex,
  serializeErc6492Signature,
} from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Anvil, artifactOf, deploy, send, startAnvil } from '../support/chain/anvil.ts'
import { failure, json, type NodeFailure, type RpcProxy, startRpcProxy } from '../support/chain/rpc-proxy.ts'
import { newWallet, type Reply, startService, type TestService, type Wallet } from '../support/service.ts'

const [home, abroad] = [100, 137]
let anvil: Anvil
let foreignAnvil: Anvil
let proxy: RpcProxy
let service: TestService

const [ada, bob, eve] = [newWallet(), newWallet(), newWallet()]
/** Owned by Ada and Bob on chain 100. On chain 137, the same address is Eve's contract. */
let shared: Address
let strange: Address
let factory: Address

beforeAll(async () => {
  ;[anvil, foreignAnvil] = await Promise.all([startAnvil({ chainId: home }), startAnvil({ chainId: abroad })])
  proxy = await startRpcProxy(anvil.url)
  shared = getAddress(await deploy(anvil, 'SmartWallet', [[ada.address, bob.address]]))
  if (getAddress(await deploy(foreignAnvil, 'SmartWallet', [[eve.address]])) !== shared)
    throw new Error('not the same address')
  strange = getAddress(await deploy(anvil, 'StrangeWallet'))
  factory = await deploy(anvil, 'SmartWalletFactory')
  service = await startService({
    env: {
      [`RPC_URL_${home}`]: proxy.url,
      [`RPC_URL_${abroad}`]: foreignAnvil.url,
      // A node of another chain than the configured one.
      RPC_URL_5: anvil.url,
      TRUSTED_PROXIES: '127.0.0.1',
    },
  })
})
afterAll(async () => {
  await service?.stop()
  proxy?.stop()
  await Promise.all([anvil?.stop(), foreignAnvil?.stop()])
})
beforeEach(() => proxy.failWith(null))

type Attempt = { message: string; signature: Hex }

async function messageOf(address: Address, chainId = home): Promise<string> {
  const nonce = (await service.request('GET', '/api/v1/auth/nonce')).text
  return createSiweMessage({ address, chainId, domain: 'localhost', nonce, uri: 'http://localhost/', version: '1' })
}

const challenge = (body: Attempt): Promise<Reply> => service.request('POST', '/api/v1/auth/challenge', { body })

/** Returns a sign-in message for the address, signed with the wallet's key or with the given bytes as its signature. */
async function attempt(address: Address, by: Wallet | Hex, chainId = home): Promise<Attempt> {
  const message = await messageOf(address, chainId)
  return { message, signature: typeof by === 'string' ? by : await by.signMessage({ message }) }
}

const signIn = async (address: Address, by: Wallet | Hex, chainId = home) =>
  challenge(await attempt(address, by, chainId))

async function tokenOf(address: Address, by: Wallet | Hex, chainId = home): Promise<string> {
  const answer = await signIn(address, by, chainId)
  expect(answer.text).toMatch(/^\{"token":/)
  return answer.body.token
}

function expectRefused(answer: Reply, code = 'INVALID_SIGNATURE'): void {
  expect([answer.status, answer.body?.error]).toEqual([401, code])
}

function wrapped(making: { to: Address; data: Hex }, signature: Hex): Hex {
  return serializeErc6492Signature({ address: making.to, data: making.data, signature })
}

/** Returns a key that delegates to the permissive contract (EIP-7702), on chain 100 only. */
async function delegated(): Promise<Wallet> {
  const account = newWallet()
  const authorization = await account.signAuthorization({ address: strange, chainId: home, nonce: 0 })
  const hash = await anvil.client.sendTransaction({ to: ada.address, authorizationList: [authorization] })
  await anvil.client.waitForTransactionReceipt({ hash })
  return account
}

describe('contract wallets with several owners', () => {
  test('each owner of a shared wallet can sign in, and the access token names a contract signature', async () => {
    for (const owner of [ada, bob]) {
      const claims = decodeJwt(await tokenOf(shared, owner))
      expect(claims).toMatchObject({ signerAddress: shared, chainId: '100', signedBy: 'contract', hasSignedUp: false })
    }
  })

  test('another key cannot sign in for a shared wallet, and the nonce is used up', async () => {
    const refused = await attempt(shared, eve)
    expectRefused(await challenge(refused))
    const signature = await ada.signMessage({ message: refused.message })
    expectRefused(await challenge({ ...refused, signature }), 'NONCE_USED')
  })

  test('a replaced owner cannot sign in from the next block on, and the new owner can', async () => {
    const wallet = await deploy(anvil, 'SmartWallet', [[ada.address]])
    await tokenOf(wallet, ada)
    await send(anvil, 'SmartWallet', { to: wallet, call: 'replaceOwner', args: [ada.address, eve.address] })
    expectRefused(await signIn(wallet, ada))
    await tokenOf(wallet, eve)
  })

  test('a contract signature over another message is rejected', async () => {
    const other = await attempt(shared, ada)
    expectRefused(await challenge({ message: await messageOf(shared), signature: other.signature }))
  })
})

describe('contracts that accept every signature', () => {
  test('a contract that accepts everything signs in for its own address', async () => {
    expect(decodeJwt(await tokenOf(strange, '0x00'))).toMatchObject({ signerAddress: strange })
  })

  test('a contract that accepts everything cannot sign for another address', async () => {
    for (const address of [ada.address, shared, newWallet().address]) {
      expectRefused(await signIn(address, '0x00'))
      const making = { to: strange, data: '0x00' } as const
      expectRefused(await signIn(address, wrapped(making, '0x00')))
    }
  })
})

describe('rejected results of a contract', () => {
  test.each<[string, Hex]>([
    ['reverts', '0x01'],
    ['tries to write and burns its gas', '0x02'],
    ['burns its gas', '0x03'],
    ['returns a megabyte that begins with the magic value', '0x04'],
    ['reverts with a megabyte that begins with the magic value', '0x05'],
    ['returns only four bytes', '0x06'],
    ['returns the magic value followed by a nonzero byte', '0x07'],
    ['returns two words', '0x08'],
    ['returns the magic value at the other end of the word', '0x09'],
    ['returns nothing', '0x0a'],
    ['runs an invalid instruction', '0x0b'],
  ])('a contract signature is rejected if the contract %s', async (_name, signature) => {
    expectRefused(await signIn(strange, signature))
  })

  test.each([0, 1, 2, 4, 5, 8, 9, 0x100, 0xffff])(
    'a contract signature for the reserved address %i is rejected without a call to the chain',
    async (address) => {
      proxy.failWith((response) => response.writeHead(500).end())
      expectRefused(await signIn(padHex(`0x${address.toString(16)}`, { size: 20 }), `0x1626ba7e${'00'.repeat(28)}`))
      expect(proxy.requests()).toBe(0)
    },
  )

  test("a key's signature with a high s is rejected even on a chain with RPC", async () => {
    const { message, signature } = await attempt(ada.address, ada)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
    const mirrored: Hex = `0x${signature.slice(2, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}`
    expectRefused(await challenge({ message, signature: mirrored }))
  })
})

describe('undeployed contract wallets (ERC-6492)', () => {
  const salt = (n: number) => padHex(`0x${n.toString(16)}`, { size: 32 })

  function planned(n: number, owners: Address[]) {
    const args = [salt(n), owners]
    const data = encodeFunctionData({ abi: artifactOf('SmartWalletFactory').abi, functionName: 'make', args })
    const bytecode = encodeDeployData({ ...artifactOf('SmartWallet'), args: [owners] })
    const address = getContractAddress({ opcode: 'CREATE2', from: factory, salt: salt(n), bytecode })
    return { address, making: { to: factory, data } }
  }

  async function signedAs(address: Address, making: { to: Address; data: Hex }, by: Wallet): Promise<Reply> {
    const message = await messageOf(address)
    return challenge({ message, signature: wrapped(making, await by.signMessage({ message })) })
  }

  test('only the future owner can sign in for an undeployed wallet, and nothing is deployed', async () => {
    const { address, making } = planned(1, [ada.address])
    expectRefused(await signedAs(address, making, eve))
    expect((await signedAs(address, making, ada)).status).toBe(200)
    expect(await anvil.client.getCode({ address })).toBeUndefined()
  })

  test('a deployed contract wallet can sign in with or without the ERC-6492 wrapper', async () => {
    const { address, making } = planned(2, [ada.address])
    await send(anvil, 'SmartWalletFactory', { to: factory, call: 'make', args: [salt(2), [ada.address]] })
    expect((await signedAs(address, making, ada)).status).toBe(200)
    await tokenOf(address, ada)
  })

  test('an undeployed wallet needs the ERC-6492 wrapper and the address that the factory computes', async () => {
    const { address, making } = planned(3, [ada.address])
    expectRefused(await signIn(address, ada))
    expectRefused(await signedAs(planned(4, [ada.address]).address, making, ada))
  })

  test('an ERC-6492 wrapper cannot run a call before the check of a deployed contract', async () => {
    const wallet = await deploy(anvil, 'SmartWallet', [[ada.address]])
    const args = [ada.address, eve.address]
    const data = encodeFunctionData({ abi: artifactOf('SmartWallet').abi, functionName: 'replaceOwner', args })
    expectRefused(await signedAs(wallet, { to: wallet, data }, eve))
  })

  test('a malformed ERC-6492 wrapper is rejected without a call to the chain', async () => {
    proxy.failWith(null)
    expectRefused(await signIn(planned(5, [ada.address]).address, `0x1234${'6492'.repeat(16)}`))
    expect(proxy.requests()).toBe(0)
  })
})

test('a delegated key (EIP-7702) signs in without a chain call, and its code signs in on its chain', async () => {
  const account = await delegated()
  expect(await anvil.client.getCode({ address: account.address })).toBe(`0xef0100${strange.slice(2).toLowerCase()}`)

  proxy.failWith(null)
  expect(decodeJwt(await tokenOf(account.address, account))).not.toHaveProperty('signedBy')
  expect(proxy.requests()).toBe(0)
  expect(decodeJwt(await tokenOf(account.address, '0x00'))).toMatchObject({ signedBy: 'contract' })
  expectRefused(await signIn(account.address, '0x01'))
})

describe('contract owners', () => {
  const me = (token: string) => service.request('GET', '/user', { token })

  async function register(token: string): Promise<Reply> {
    const email = `${newWallet().address}@example.org`
    await service.request('POST', '/email-verification', { token, body: { email } })
    return service.request('POST', '/user', { token, body: { email, otp: '123456' } })
  }

  async function expectStranger(token: string): Promise<void> {
    expect(decodeJwt(token)).toMatchObject({ hasSignedUp: false })
    expect(await me(token)).toMatchObject({ status: 401, body: { error: 'NOT_REGISTERED' } })
    expect(await register(token)).toMatchObject({ status: 409, body: { error: 'WALLET_IN_USE' } })
  }

  test('a contract owner is registered for one chain, and its address on another chain has no user', async () => {
    const { userId, accessToken } = (await register(await tokenOf(shared, ada))).body
    expect(decodeJwt(accessToken)).toMatchObject({ userId, signedBy: 'contract' })
    expect((await me(accessToken)).body).toMatchObject({ userId })
    expect(decodeJwt(await tokenOf(shared, bob))).toMatchObject({ userId, chainId: '100' })

    await expectStranger(await tokenOf(shared, eve, abroad))
    expect(decodeJwt(await tokenOf(shared, ada))).toMatchObject({ userId })
  })

  test("contracts at the same address on two chains cannot end each other's sessions", async () => {
    await register(await tokenOf(shared, ada))
    const logOut = (token: string, all = '') => service.request('POST', `/api/v1/auth/logout${all}`, { token })
    const token = await tokenOf(shared, ada)
    for (const all of ['', '-all']) {
      expect((await logOut(await tokenOf(shared, eve, abroad), all)).status).toBe(200)
      expect((await me(token)).status).toBe(200)
    }
    const stranger = await tokenOf(shared, eve, abroad)
    expect((await logOut(token, '-all')).status).toBe(200)
    expect(await me(token)).toMatchObject({ status: 401, body: { error: 'ACCESS_REVOKED' } })
    expect((await logOut(stranger)).status).toBe(200)
    expect((await me(await tokenOf(shared, ada))).status).toBe(200)
  })

  test('a contract owner cannot withdraw on a chain other than its own', async () => {
    const wallet = await deploy(anvil, 'SmartWallet', [[ada.address]])
    await service.sandbox('POST', '/users', { address: wallet })
    const token = await tokenOf(wallet, ada)
    const { address: tokenAddress } = service.ctx.config.tokens[0] ?? {}
    const answer = await service.request('POST', '/user/withdrawal', { token, body: { tokenAddress, amount: '1' } })
    expect([answer.status, answer.body.error]).toEqual([422, 'PAYEE_NOT_ON_CHAIN'])
  })

  test('an owner added without a sign-in is bound to the first contract that signs for it', async () => {
    const [wallet, foreign] = await Promise.all([
      deploy(anvil, 'SmartWallet', [[ada.address]]),
      anvil.client.getTransactionCount({ address: anvil.client.account.address }).then(async (nonce) => {
        await foreignAnvil.client.setNonce({ address: anvil.client.account.address, nonce })
        return deploy(foreignAnvil, 'SmartWallet', [[eve.address]])
      }),
    ])
    expect(foreign).toBe(wallet)
    const { userId } = (await service.sandbox('POST', '/users', { address: wallet })).body
    expect(decodeJwt(await tokenOf(wallet, ada))).toMatchObject({ userId })
    await expectStranger(await tokenOf(wallet, eve, abroad))
  })

  test('a contract owner approves a card view on its chain, and an outage does not use up the signature', async () => {
    const wallet = await deploy(anvil, 'SmartWallet', [[ada.address]])
    await service.sandbox('POST', '/users', { address: wallet })
    const token = await tokenOf(wallet, ada)
    const card = { token, body: { cardName: 'Shared', phone: '+4915112345678' } }
    const path = `/pci/cards/${(await service.request('POST', '/cards/virtual', card)).body.cardId}`
    async function signedBy(key: Wallet) {
      const challenge = (await service.request('GET', `${path}/challenge?action=view-pin`, { token })).body
      const { authorization, nonce } = challenge.message
      const message = { authorization, nonce: BigInt(nonce) }
      expect(challenge.domain.chainId).toBe(home)
      return { action: 'view-pin', nonce, signature: await key.signTypedData({ ...challenge, message }) }
    }
    const exchange = (body: object) => service.request('POST', `${path}/token`, { token, body })

    expect(await exchange(await signedBy(eve))).toMatchObject({ status: 403, body: { error: 'CHALLENGE_NOT_SIGNED' } })
    const signed = await signedBy(ada)
    proxy.failWith((response) => response.destroy())
    expect((await exchange(signed)).status).toBe(502)
    proxy.failWith(null)
    expect((await exchange(signed)).status).toBe(201)
    expect(await exchange(signed)).toMatchObject({ status: 403, body: { error: 'CHALLENGE_USED' } })
  })

  test('a contract owner approves another owner, and an outage uses up neither signature', async () => {
    const wallet = await deploy(anvil, 'SmartWallet', [[ada.address]])
    const { userId } = (await service.sandbox('POST', '/users', { address: wallet })).body
    const token = await tokenOf(wallet, ada)
    const added = newWallet()
    async function signed(address: Address, by: Wallet, statement: string): Promise<Attempt> {
      const nonce = (await service.request('GET', '/api/v1/auth/nonce')).text
      const site = { chainId: home, domain: 'localhost', uri: 'http://localhost/', version: '1' } as const
      const message = createSiweMessage({ address, nonce, statement, ...site })
      return { message, signature: await by.signMessage({ message }) }
    }
    const body = {
      ...(await signed(added.address, added, `Add this wallet as an owner of user ${userId}.`)),
      approval: await signed(wallet, ada, `Add wallet ${added.address} as an owner of user ${userId}.`),
    }
    const add = () => service.request('POST', '/user/owners', { token, body })
    proxy.failWith((response) => response.destroy())
    expect((await add()).status).toBe(502)
    proxy.failWith(null)
    expect((await add()).status).toBe(201)
  })

  test('an owner that is a delegated key (EIP-7702) can sign in by key on every chain, even after its code signed in on one', async () => {
    const account = await delegated()
    const { userId } = (await service.sandbox('POST', '/users', { address: account.address })).body
    for (const [by, chainId] of [
      [account, home],
      ['0x00', home],
      [account, abroad],
      [account, 1],
    ] as const) {
      expect(decodeJwt(await tokenOf(account.address, by, chainId))).toMatchObject({ userId })
    }
  })
})

describe('failing nodes', () => {
  const ofCall = (failureMode: NodeFailure): NodeFailure => {
    let asked = 0
    // The first request reads the chain id.
    return (response, id) => (asked++ === 0 ? json(`0x${home.toString(16)}`)(response, id) : failureMode(response, id))
  }

  async function expectUnavailable(attempted: Attempt): Promise<void> {
    const began = performance.now()
    const answer = await challenge(attempted)
    expect([answer.status, answer.text]).toEqual([502, '{"success":false,"error":"UPSTREAM_FAILURE"}'])
    expect(performance.now() - began).toBeLessThan(60_000)
  }

  test.each<[string, NodeFailure]>([
    ['closes the connection', (response) => response.destroy()],
    [
      'closes the connection in the middle of a response',
      (response) => response.writeHead(200, { 'content-length': '99' }).write('{"js') && response.destroy(),
    ],
    ['limits the rate', (response) => response.writeHead(429, { 'retry-after': '0' }).end('{}')],
    ['limits the rate with a JSON-RPC error', failure(-32005, 'daily request count exceeded')],
    ['is overloaded', (response) => response.writeHead(503).end('<html>Service Unavailable')],
    ['redirects the request', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['returns a body that is not JSON', (response) => response.end('yes')],
    ['returns an empty body', (response) => response.end()],
    ['responds with the id of another request', (response, id) => json('0x1')(response, id + 1)],
    ['does not support eth_call', ofCall(failure(-32601, 'the method eth_call does not exist'))],
    ['aborts the execution', ofCall(failure(-32000, 'execution aborted (timeout = 5s)'))],
    ['lags behind', ofCall(failure(-32000, 'header not found'))],
    ['returns no data', ofCall(json('0x'))],
    ['returns null', ofCall(json(null))],
    ['returns a list', ofCall(json(['0x1626ba7e']))],
    ['returns half a word', ofCall(json('0x1626ba7e'))],
    ['returns another word', ofCall(json(padHex('0x1', { size: 32 })))],
    ['returns more than the limit', ofCall(json(`0x${'00'.repeat(40_000)}`))],
    ['is on another chain', json('0x1')],
  ])('a contract signature is not used up by a node that %s', async (_name, failureMode) => {
    const attempted = await attempt(shared, ada)
    // After a failure, the service reads the chain id again. So each kind of failure applies to the same requests.
    proxy.failWith((response) => response.destroy())
    await challenge(await attempt(shared, ada))
    proxy.failWith(failureMode)
    await expectUnavailable(attempted)
    proxy.failWith(null)
    expect((await challenge(attempted)).status).toBe(200)
  })

  test('a reverted call counts as a rejection by the contract, not as a failure of the node', async () => {
    proxy.failWith((response) => response.destroy())
    await challenge(await attempt(shared, ada))
    proxy.failWith(ofCall(failure(3, 'execution reverted')))
    expectRefused(await signIn(shared, ada))
  })

  describe('the calls to a silent node', () => {
    const from = (client: string, body: Attempt) =>
      service.request('POST', '/api/v1/auth/challenge', { body, headers: { 'x-forwarded-for': client } })
    const all = (addresses: readonly Address[]) => Promise.all(addresses.map((address) => attempt(address, ada)))
    const code = ({ status, body }: Reply) => [status, body?.error]
    const many = (count: number) => Array.from({ length: count }, () => newWallet().address)

    test('at most sixteen calls to the nodes of a chain run at a time, and strangers leave four of them to known owners', async () => {
      const owners = many(6)
      for (const address of owners) await service.sandbox('POST', '/users', { address })
      const [strange, own] = [await all(many(20)), await all(owners)]
      proxy.failWith(() => {})
      const strangers = strange.map((body, i) => from(`192.0.2.${i}`, body))
      await expect.poll(() => proxy.requests()).toBe(12)
      const known = own.map((body, i) => from(`192.0.2.${100 + i}`, body))
      await expect.poll(() => proxy.requests()).toBe(16)
      await delay(300)
      expect(proxy.requests()).toBe(16)
      for (const answer of await Promise.all([...strangers, ...known])) expect(answer.status).toBe(502)
    })

    test('a client that uses up its calls to the nodes for a wallet does not keep the wallet from signing in elsewhere', async () => {
      const clients = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']
      const bodies = await all(clients.map(() => shared))
      proxy.failWith(() => {})
      const answers = await Promise.all(bodies.map((body, i) => from(clients[i] ?? '', body)))
      const [owner, ...attacks] = answers.map(({ status }) => status).reverse()
      expect([owner, attacks.sort()]).toEqual([502, [429, 502, 502]])
    })

    test.each<[string, number, (i: number) => [string, Address]]>([
      ['wallet', 6, (i) => [`192.0.2.${i}`, shared]],
      ['client', 4, () => ['2001:db8::1', newWallet().address]],
    ])(
      'for one %s, at most %i calls to the nodes are in progress, and more are rejected before they queue',
      async (_what, max, next) => {
        const callers = Array.from({ length: max + 3 }, (_, i) => next(i))
        const bodies = await all(callers.map(([, address]) => address))
        proxy.failWith(() => {})
        const answers = await Promise.all(bodies.map((body, i) => from(callers[i]?.[0] ?? '', body)))
        const codes = answers.map(code).map(String).sort()
        expect(codes.filter((each) => each === '429,RATE_LIMITED')).toHaveLength(3)
        expect(codes.filter((each) => each.startsWith('502'))).toHaveLength(max)
        proxy.failWith(null)
        await tokenOf(shared, ada)
      },
    )
  })

  test('a failing node is called at most three times for a sign-in nonce', async () => {
    const attempted = await attempt(shared, ada)
    proxy.failWith((response) => response.writeHead(503).end())
    for (let tries = 0; tries < 3; tries++) await expectUnavailable(attempted)
    expect(proxy.requests()).toBe(3)
    proxy.failWith(null)
    expectRefused(await challenge(attempted), 'NONCE_USED')
    expect(proxy.requests()).toBe(0)
  })

  test('a sign-in gets 502 if the node is on another chain than configured', async () => {
    await expectUnavailable(await attempt(shared, ada, 5))
  })

  test('a contract signature on a chain without a node is rejected, and a key signs in on a chain whose node is unreachable', async () => {
    expectRefused(await signIn(shared, '0x1234', 10), 'CHAIN_NOT_SUPPORTED')
    expectRefused(await signIn(shared, ada, 10))
    proxy.failWith((response) => response.destroy())
    await tokenOf(ada.address, ada)
    expect(proxy.requests()).toBe(0)
  })
})
