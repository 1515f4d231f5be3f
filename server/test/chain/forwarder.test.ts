import { type Address, getAddress, getContractAddress, keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, anvilAccount, artifactOf, deploy, send, startAnvil } from '../anvil.ts'

const treasury = getAddress('0x7ea5000000000000000000000000000000000001')
const salt = keccak256(stringToHex('an account'))

let anvil: Anvil
let factory: Address
let token: Address

const balance = (of: Address, holder: Address) =>
  anvil.client.readContract({
    abi: artifactOf('TestToken').abi,
    address: of,
    functionName: 'balanceOf',
    args: [holder],
  })

beforeAll(async () => {
  anvil = await startAnvil()
  factory = await deploy(anvil, 'ForwarderFactory', [treasury])
  token = await deploy(anvil, 'TestToken', ['EURe', 18])
})
afterAll(() => anvil.stop())

test('tokens arrive before anything is deployed, and anybody sweeps them to the treasury', async () => {
  const implementation = getContractAddress({ from: factory, nonce: 1n })
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt,
    bytecode: `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${implementation.slice(2).toLowerCase()}5af43d82803e903d91602b57fd5bf3`,
  })
  await send(anvil, 'TestToken', { to: token, call: 'mint', args: [address, 500n] })
  await send(anvil, 'ForwarderFactory', { to: factory, call: 'sweep', args: [[salt], [token]], from: 5 })
  expect(await balance(token, treasury)).toBe(500n)
  expect(await balance(token, address)).toBe(0n)
  expect(await balance(token, anvilAccount(5).address)).toBe(0n)
})
