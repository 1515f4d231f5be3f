import { expect, test } from 'vitest'
import { factoryAddress } from '../lib/deposit-address.ts'
import { readChains } from './chains.ts'

const treasury = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

function read(env: Record<string, string>) {
  const problems: string[] = []
  const chains = readChains(env, null, (name, wanted) => problems.push(`${name}: ${wanted}`))
  return { chains, problems }
}

test('a chain is an RPC_URL, one or several; the rest has defaults', () => {
  const { chains, problems } = read({
    RPC_URL_8453: 'https://one.example/key, https://two.example',
    RPC_URL_1: 'http://127.0.0.1:8545',
    RPC_URL_5: ' ',
    TREASURY_8453: treasury.toLowerCase(),
    FINALITY_1: '12',
    START_BLOCK_1: '19000000',
  })
  expect(problems).toEqual([])
  expect(chains).toEqual([
    {
      chainId: 1,
      rpcUrls: ['http://127.0.0.1:8545'],
      finality: 12,
      treasury: null,
      factory: null,
      startBlock: 19000000n,
      recordsUnknown: true,
    },
    {
      chainId: 8453,
      rpcUrls: ['https://one.example/key', 'https://two.example'],
      finality: 'finalized',
      treasury,
      factory: factoryAddress(treasury),
      startBlock: 0n,
      recordsUnknown: true,
    },
  ])
})

test('an account has one address: chains whose factories would make others are refused', () => {
  const urls = { RPC_URL_1: 'http://localhost:1', RPC_URL_2: 'http://localhost:2' }
  expect(read({ ...urls, TREASURY_1: treasury, TREASURY_2: treasury }).problems).toEqual([])
  const apart = read({ ...urls, TREASURY_1: treasury, TREASURY_2: other })
  expect(apart.problems.map((problem) => problem.split(':')[0])).toEqual(['FACTORY_1', 'FACTORY_2'])
  const factories = { FACTORY_1: other, FACTORY_2: other }
  expect(read({ ...urls, TREASURY_1: treasury, TREASURY_2: other, ...factories }).problems).toEqual([])
})

test('every mistake is named', () => {
  const { problems } = read({
    RPC_URL_X: 'http://localhost',
    RPC_URL_99999999999: 'http://localhost',
    RPC_URL_1: 'ftp://localhost',
    RPC_URL_2: 'https://user:password@localhost',
    TREASURY_2: 'home',
    FACTORY_2: `${treasury.slice(0, -1)}9`,
    FINALITY_2: 'soon',
    START_BLOCK_2: '-1',
  })
  expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual(
    [
      'FACTORY_2',
      'FINALITY_2',
      'RPC_URL_1',
      'RPC_URL_2',
      'RPC_URL_99999999999',
      'RPC_URL_X',
      'START_BLOCK_2',
      'TREASURY_2',
    ].sort(),
  )
})
