import { numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { findByNonce, type RpcCall } from './evm-reading.ts'

test('a search through thousands of authorizations leaves the event loop to other work', async () => {
  const other = privateKeyToAccount(`0x${'43'.repeat(32)}`)
  const allowed = await other.signAuthorization({ address: other.address, chainId: 1, nonce: 7 })
  const authorization = {
    address: allowed.address,
    chainId: '0x1',
    nonce: '0x7',
    yParity: numberToHex(allowed.yParity ?? 0),
    r: allowed.r,
    s: allowed.s,
  }
  const count = 100
  const node: RpcCall = async (method, params) => {
    if (method === 'ots_getTransactionBySenderAndNonce') return null
    if (method === 'eth_getTransactionCount') return BigInt(String(params[1])) < 5n ? '0x7' : '0x8'
    if (method === 'eth_getBlockByNumber' && params[0] === '0x5') {
      const authorizationList = Array.from({ length: count }, () => authorization)
      return { transactions: [{ hash: '0x1', from: other.address.toLowerCase(), nonce: '0x1', authorizationList }] }
    }
    throw new Error(`unexpected: ${method}`)
  }
  let turns = 0
  let isSearching = true
  const countTurn = () => {
    turns++
    if (isSearching) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  const signer = privateKeyToAccount(`0x${'42'.repeat(32)}`).address
  const found = await findByNonce(node, { signer, nonce: 7n, to: 9n }).finally(() => {
    isSearching = false
  })
  expect(found).toBeNull()
  expect(turns).toBeGreaterThanOrEqual(count)
})
