import { type Address, concatHex, getAddress, parseEther, parseEventLogs, zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  accountSalt,
  create2Deployer,
  depositAddress,
  factoryAddress,
  factoryDeployment,
} from '../../../src/lib/deposit-address.ts'
import { type Anvil, anvilAccount, artifactOf, deploy, send, startAnvil } from '../../support/chain/anvil.ts'

const treasury = getAddress('0x7ea5000000000000000000000000000000000001')
const factory = factoryAddress(treasury)
const passerBy = 5

let anvil: Anvil
let euro: Address
let lastUser = 0

const newUser = () => `user ${++lastUser}`

function read(name: string, address: Address, functionName: string, args: readonly unknown[] = []): Promise<unknown> {
  return anvil.client.readContract({ abi: artifactOf(name).abi, address, functionName, args })
}

const balance = (token: Address, holder: Address) => read('TestToken', token, 'balanceOf', [holder])
const codeAt = (address: Address) => anvil.client.getCode({ address })

/**
 * Sweeps from an unrelated wallet, since anyone may sweep. The gas limit is fixed: a node estimates the least gas with
 * which the sweep succeeds, and the sweep succeeds even when one token runs out of gas.
 */
function sweep(users: readonly string[], tokens: readonly Address[]) {
  const args = [users.map(accountSalt), tokens]
  return send(anvil, 'ForwarderFactory', { to: factory, call: 'sweep', args, from: passerBy, gas: 6_000_000n })
}

async function deployFactory(of: Address): Promise<void> {
  const { salt, code } = factoryDeployment(of)
  const hash = await anvil.client.sendTransaction({ to: create2Deployer, data: concatHex([salt, code]) })
  await anvil.client.waitForTransactionReceipt({ hash })
}

beforeAll(async () => {
  anvil = await startAnvil()
  await deployFactory(treasury)
  euro = await deploy(anvil, 'TestToken', ['EURe', 18])
})
afterAll(() => anvil.stop())

describe('computed addresses', () => {
  test('a factory is deployed at the address computed from its treasury', async () => {
    expect(await codeAt(factory)).toBeDefined()
    expect(await read('ForwarderFactory', factory, 'treasury')).toBe(treasury)
    const other = getAddress('0x7ea5000000000000000000000000000000000002')
    expect(await codeAt(factoryAddress(other))).toBeUndefined()
    await deployFactory(other)
    expect(await read('ForwarderFactory', factoryAddress(other), 'treasury')).toBe(other)
  })

  test('a deposit address equals the address that the factory computes and deploys to', async () => {
    const user = newUser()
    const address = depositAddress(factory, user)
    expect(await read('ForwarderFactory', factory, 'addressOf', [accountSalt(user)])).toBe(address)
    expect(await codeAt(address)).toBeUndefined()
    await sweep([user], [])
    expect(await codeAt(address)).toMatch(/^0x363d3d373d3d3d363d73[0-9a-f]{40}5af43d82803e903d91602b57fd5bf3$/)
    expect(await read('Forwarder', address, 'treasury')).toBe(treasury)
  })

  test('the same factory has the same deposit addresses on another chain', async () => {
    const other = await startAnvil({ chainId: 8453 })
    try {
      const { salt, code } = factoryDeployment(treasury)
      const hash = await other.client.sendTransaction({ to: create2Deployer, data: concatHex([salt, code]) })
      await other.client.waitForTransactionReceipt({ hash })
      const { abi } = artifactOf('ForwarderFactory')
      const args = [accountSalt('somebody')]
      const there = await other.client.readContract({ abi, address: factory, functionName: 'addressOf', args })
      expect(there).toBe(depositAddress(factory, 'somebody'))
    } finally {
      await other.stop()
    }
  })
})

describe('sweeping to the treasury', () => {
  test('a sweep by any wallet moves tokens that arrived before or after deployment to the treasury', async () => {
    const users = [newUser(), newUser(), newUser()]
    const dollar = await deploy(anvil, 'TestToken', ['USDC', 6])
    for (const user of users) {
      await send(anvil, 'TestToken', { to: euro, call: 'mint', args: [depositAddress(factory, user), 500n] })
    }
    await send(anvil, 'TestToken', { to: dollar, call: 'mint', args: [depositAddress(factory, users[1] ?? ''), 7n] })
    await sweep(users, [euro, dollar])
    expect(await balance(euro, treasury)).toBe(1500n)
    expect(await balance(dollar, treasury)).toBe(7n)

    await send(anvil, 'TestToken', { to: euro, call: 'mint', args: [depositAddress(factory, users[0] ?? ''), 1n] })
    await sweep(users, [euro, dollar])
    expect(await balance(euro, treasury)).toBe(1501n)
    expect(await balance(euro, anvilAccount(passerBy).address)).toBe(0n)
  })

  test('a sweep moves native coins that arrived before or after deployment to the treasury', async () => {
    const user = newUser()
    const address = depositAddress(factory, user)
    const before = await anvil.client.getBalance({ address: treasury })
    for (let times = 0; times < 2; times++) {
      const hash = await anvil.client.sendTransaction({ to: address, value: parseEther('1') })
      await anvil.client.waitForTransactionReceipt({ hash })
      await sweep([user], [zeroAddress])
    }
    expect(await anvil.client.getBalance({ address: treasury })).toBe(before + parseEther('2'))
  })

  test('a sweep of empty addresses, or of a token address without a contract, moves nothing and does not fail', async () => {
    const user = newUser()
    await sweep([user, user], [euro, euro, anvilAccount(3).address])
    expect(await balance(euro, depositAddress(factory, user))).toBe(0n)
  })

  test('the contracts have no function to change an owner or setting or to run code', async () => {
    const functions = (name: string) =>
      artifactOf(name).abi.flatMap((item) => (item.type === 'function' ? [`${item.name} ${item.stateMutability}`] : []))
    expect(functions('Forwarder').sort()).toEqual(['sweep nonpayable', 'treasury view'])
    expect(functions('ForwarderFactory').sort()).toEqual([
      'addressOf view',
      'implementation view',
      'sweep nonpayable',
      'treasury view',
    ])
  })

  test('a factory without a treasury cannot be deployed', async () => {
    await expect(deploy(anvil, 'ForwarderFactory', [zeroAddress])).rejects.toThrow(/revert|not deployed/)
  })
})

describe('sweeping a faulty token', () => {
  const habits = [
    { name: 'returns nothing', moved: 9n, events: ['Swept', 'Swept'] },
    { name: 'returns false', moved: 0n, events: ['NotSwept', 'Swept'] },
    { name: 'reverts', moved: 0n, events: ['NotSwept', 'Swept'] },
    { name: 'returns a value other than true', moved: 9n, events: ['NotSwept', 'Swept'] },
    { name: 'returns a megabyte', moved: 9n, events: ['Swept', 'Swept'] },
    { name: 're-enters', moved: 9n, events: ['Swept', 'Swept', 'Swept'] },
    { name: 'does not return the balance', moved: 0n, events: ['Swept'] },
    { name: 'returns 31 bytes of a balance', moved: 0n, events: ['Swept'] },
  ]
  for (const [habit, { name, moved, events }] of habits.entries()) {
    test(`a token that ${name} does not stop the sweep of another token`, async () => {
      const user = newUser()
      const address = depositAddress(factory, user)
      const strange = await deploy(anvil, 'SweptToken', [habit])
      await send(anvil, 'SweptToken', { to: strange, call: 'mint', args: [address, 9n] })
      await send(anvil, 'TestToken', { to: euro, call: 'mint', args: [address, 3n] })
      const before = BigInt(String(await balance(euro, treasury)))
      const { logs } = await sweep([user], [strange, euro])
      expect(await read('SweptToken', strange, 'held', [treasury])).toBe(moved)
      expect(await read('SweptToken', strange, 'held', [address])).toBe(9n - moved)
      expect(await balance(euro, treasury)).toBe(before + 3n)
      const emitted = parseEventLogs({ abi: artifactOf('Forwarder').abi, logs })
      expect(emitted.map(({ eventName }) => eventName)).toEqual(events)
    })
  }
})
