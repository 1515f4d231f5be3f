import { expect, test } from 'vitest'
import { problemsOf } from '../../test/support/config-problems.ts'
import { factoryAddress } from '../lib/deposit-address.ts'
import { readConfig } from './config.ts'

const treasury = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

test('a chain is an RPC_URL with one or several nodes, and has defaults for everything else', () => {
  const { chains } = readConfig({
    RPC_URL_8453: 'https://one.example/key, https://two.example',
    RPC_URL_1: 'http://127.0.0.1:8545',
    RPC_URL_5: ' ',
    TREASURY_1: treasury.toLowerCase(),
    TREASURY_8453: treasury,
    TREASURY_5: 'ignored, because chain 5 has no nodes',
    FINALITY_1: '12',
    START_BLOCK_1: '19000000',
    UNKNOWN_TOKENS_1: 'ignore',
  })
  expect(chains).toEqual([
    {
      chainId: 1,
      rpcUrls: ['http://127.0.0.1:8545'],
      finality: 12,
      treasury,
      factory: factoryAddress(treasury),
      startBlock: 19000000n,
      explorer: null,
      recordsUnknown: false,
    },
    {
      chainId: 8453,
      rpcUrls: ['https://one.example/key', 'https://two.example'],
      finality: 'finalized',
      treasury,
      factory: factoryAddress(treasury),
      startBlock: 0n,
      explorer: null,
      recordsUnknown: true,
    },
  ])
})

test('chains whose factories would derive different account addresses are rejected', () => {
  const urls = { RPC_URL_1: 'http://localhost:1', RPC_URL_2: 'http://localhost:2' }
  expect(problemsOf({ ...urls, TREASURY_1: treasury, TREASURY_2: treasury })).toEqual([])
  expect(problemsOf({ ...urls, TREASURY_1: treasury, TREASURY_2: other })).toEqual([
    'FACTORY_1 must be the same on every chain. If it is not set, TREASURY_1 must be the same.',
    'FACTORY_2 must be the same on every chain. If it is not set, TREASURY_2 must be the same.',
  ])
  const factories = { FACTORY_1: other, FACTORY_2: other }
  expect(problemsOf({ ...urls, TREASURY_1: treasury, TREASURY_2: other, ...factories })).toEqual([])
})

test('every mistake in the settings of chains is reported, and no RPC URL is echoed', () => {
  const problems = problemsOf({
    RPC_URL_X: 'http://localhost',
    RPC_URL_99999999999: 'http://localhost',
    RPC_URL_1: 'ftp://localhost',
    RPC_URL_2: 'https://user:password@localhost',
    TREASURY_2: 'home',
    FACTORY_2: `${treasury.slice(0, -1)}9`,
    FINALITY_2: 'soon',
    START_BLOCK_2: '-1',
  })
  expect(problems).toEqual([
    'RPC_URL_X must end with a chain id from 1 to 2147483647.',
    'RPC_URL_99999999999 must end with a chain id from 1 to 2147483647.',
    'RPC_URL_1[0] must be an http or https URL without a user name.',
    'RPC_URL_2[0] must be an http or https URL without a user name.',
    'TREASURY_2 must be an address: 0x and 40 hex digits with a valid checksum, not "home".',
    `FACTORY_2 must be an address: 0x and 40 hex digits with a valid checksum, not "${treasury.slice(0, -1)}9".`,
    'FINALITY_2 must be finalized or a number of blocks, not "soon".',
    'START_BLOCK_2 must be the number of a block, not "-1".',
  ])
})
