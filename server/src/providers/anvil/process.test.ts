import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startAnvilProcess } from './process.ts'

test('chains that start concurrently with the same preferred port get distinct ports', async () => {
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
  // Each start finds the port free, because no other start has taken it yet.
  const starts = [1, 2, 3].map(async (id) => {
    await delay(id * 10)
    return startAnvilProcess(['--chain-id', String(id)], { port })
  })
  const chains = await Promise.all(starts)
  try {
    const answers = chains.map(async ({ url }) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
      const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      return ((await answer.json()) as { result: string }).result
    })
    expect(await Promise.all(answers)).toEqual(['0x1', '0x2', '0x3'])
  } finally {
    await Promise.all(chains.map((chain) => chain.stop()))
  }
})
