import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startOwnChain } from './own-chain.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'purser-own-chain-'))
  vi.stubEnv('HOME', home)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(home, { recursive: true, force: true })
})

const namesIn = async (folder: string) => readdir(folder, { recursive: true }).catch(() => [])

test('old chain states stay under DATA_DIR and do not accumulate over restarts', async () => {
  const dataDir = join(home, 'data')
  const old = join(dataDir, 'chain/old-states')
  const first = await startOwnChain(dataDir, 31337)
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x258'] })
    await fetch(first.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await expect.poll(() => namesIn(old).then(({ length }) => length)).toBeGreaterThan(1)
  } finally {
    await first.stop()
  }
  expect(await readdir(home)).toEqual(['data'])
  const second = await startOwnChain(dataDir, 31337)
  try {
    expect(await namesIn(old)).toEqual([])
  } finally {
    await second.stop()
  }
})
