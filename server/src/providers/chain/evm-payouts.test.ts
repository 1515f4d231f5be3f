import { type Address, getAddress, type Hex, numberToHex, parseGwei, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Anvil,
  anvilAccount,
  deploy,
  send,
  setTokenBalance,
  startAnvil,
} from '../../../test/support/chain/anvil.ts'
import { startRpcProxy } from '../../../test/support/chain/rpc-proxy.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { newId } from '../../lib/id.ts'
import { createLocalSigner } from '../payout-signer/local.ts'
import { createRpcs } from '../rpc/rpcs.ts'
import type { Payout } from './chain.ts'
import { createEvmPayouts } from './evm-payouts.ts'
import { payoutsContract } from './payouts.contract.ts'

const depth = 3
const privateKey: Hex = `0x${'42'.repeat(32)}`
const payee = getAddress('0x00000000000000000000000000000000000000ee')

let anvil: Anvil
let token: Address
let odd: Address
let payouts: ReturnType<typeof createEvmPayouts>
let signer: Address

beforeAll(async () => {
  anvil = await startAnvil()
  payouts = payoutsOf({})
  signer = getAddress(await payouts.payoutSigner(anvil.chainId))
  token = await deploy(anvil, 'TestToken', ['EURe', 18])
  odd = await deploy(anvil, 'OddPayer')
  for (const [to, name] of [
    [token, 'TestToken'],
    [odd, 'OddPayer'],
  ] as const) {
    await send(anvil, name, { to, call: 'mint', args: [signer, 1_000_000n] })
  }
  await anvil.client.setBalance({ address: signer, value: 10n ** 18n })
  await anvil.rpc('evm_setAutomine', [false])
})
beforeEach(async () => {
  await mine(depth + 1)
})
afterAll(() => anvil.stop())

function payoutsOf({
  feeCeilingPerGas = parseGwei('500'),
  urls = [anvil.url],
  startBlock = 0n,
}: {
  feeCeilingPerGas?: bigint
  urls?: readonly string[]
  startBlock?: bigint
}) {
  const chain = {
    chainId: anvil.chainId,
    rpcUrls: urls,
    finality: depth,
    factory: null,
    treasury: null,
    startBlock,
    explorer: null,
    recordsUnknown: false,
  }
  return createEvmPayouts({
    rpcs: createRpcs([chain]),
    chains: [chain],
    signer: createLocalSigner(privateKey),
    feeCeilingPerGas,
  })
}

const mine = (blocks: number) => anvil.client.mine({ blocks })

async function newPayout(change: Partial<Payout> = {}): Promise<Payout> {
  const nonce = await payouts.payoutNonce(anvil.chainId)
  return {
    chainId: anvil.chainId,
    token,
    toAddress: payee,
    amount: 5n,
    nonce,
    withdrawalId: newId(new Date()),
    ...change,
  }
}

const stateOf = (payout: Payout, ...txHashes: string[]) => payouts.payoutState({ ...payout, signer, txHashes })

/** Signs, sends and mines a payout, and makes it final by default. */
async function paid(payout: Payout, blocks = depth + 1) {
  const signed = await payouts.signPayout(payout)
  await payouts.sendPayout(anvil.chainId, signed.signedTransaction)
  await mine(blocks)
  return signed
}

/** Sets the balance of a holder, by default of the payout wallet. */
const setHeld = (amount: bigint, holder = signer) => setTokenBalance(anvil, { token, holder, amount })

describe('an EVM chain satisfies the contract of the port', () => {
  payoutsContract(() => payouts, {
    chainId: () => anvil.chainId,
    token: () => token,
    async settle(_txHash, outcome) {
      const { amount } = await payouts.payoutFunds(anvil.chainId, token)
      if (outcome === 'reverted') await setHeld(0n)
      await mine(1)
      if (outcome === 'reverted') await setHeld(amount)
      await mine(depth)
    },
  })
})

test('a payout is mined, then final with its fee', async () => {
  const payout = await newPayout()
  const { txHash } = await paid(payout, 1)
  expect(await stateOf(payout, txHash)).toEqual({ status: 'mined', txHash })
  await mine(depth - 1)
  expect(await stateOf(payout, txHash)).toMatchObject({ status: 'mined' })
  const before = await anvil.client.getBalance({ address: signer })
  await mine(1)
  const state = await stateOf(payout, txHash)
  expect(state).toMatchObject({ status: 'paid', txHash })
  const { gasUsed, effectiveGasPrice } = await anvil.client.getTransactionReceipt({ hash: txHash as Hex })
  expect(state).toHaveProperty('fee', gasUsed * effectiveGasPrice)
  expect(await anvil.client.getBalance({ address: signer })).toBe(before)
})

test('a payout is paid even if the token balance of its payee drops to zero after the gas estimate', async () => {
  const toAddress = getAddress('0x00000000000000000000000000000000000000ef')
  await setHeld(1n, toAddress)
  const payout = await newPayout({ toAddress })
  const { txHash, signedTransaction } = await payouts.signPayout(payout)
  await setHeld(0n, toAddress)
  await payouts.sendPayout(anvil.chainId, signedTransaction)
  await mine(depth + 1)
  expect(await stateOf(payout, txHash)).toMatchObject({ status: 'paid' })
})

test('a payout transaction identifies its withdrawal', async () => {
  const payout = await newPayout()
  const { txHash } = await paid(payout)
  const { input } = await anvil.client.getTransaction({ hash: txHash as Hex })
  expect(input.slice(-32)).toBe(payout.withdrawalId.replaceAll('-', ''))
})

test('a payout removed by a reorganization has the state unknown, and is paid after it is sent again', async () => {
  const payout = await newPayout()
  const { txHash, signedTransaction } = await paid(payout, 1)
  expect(await stateOf(payout, txHash)).toMatchObject({ status: 'mined' })
  await anvil.rpc('anvil_reorg', [1, []])
  await anvil.rpc('anvil_dropTransaction', [txHash])
  expect(await stateOf(payout, txHash)).toEqual({ status: 'unknown', next: payout.nonce })
  await payouts.sendPayout(anvil.chainId, signedTransaction)
  await mine(depth + 1)
  expect(await stateOf(payout, txHash)).toMatchObject({ status: 'paid' })
})

test('a payout counts as replaced only after another transaction with its nonce is final', async () => {
  const payout = await newPayout()
  const { txHash } = await payouts.signPayout(payout)
  await anvil.client.impersonateAccount({ address: signer })
  const other = await anvil.rpc('eth_sendTransaction', [{ from: signer, to: signer, value: '0x0' }])
  await mine(depth)
  expect(await stateOf(payout, txHash)).toMatchObject({ status: 'unknown' })
  await mine(1)
  expect(await stateOf(payout, txHash)).toMatchObject({ status: 'replaced', txHash: other, payout: null })
})

test('a payout whose hash was lost is found by its nonce', async () => {
  const payout = await newPayout()
  const { txHash, signedTransaction } = await paid(payout)
  const forgotten = `0x${'cd'.repeat(32)}`
  expect(await stateOf(payout, forgotten)).toMatchObject({ status: 'paid', txHash })
  expect(await stateOf({ ...payout, withdrawalId: newId(new Date()) }, forgotten)).toMatchObject({ status: 'replaced' })
  const named = { token: getAddress(token), toAddress: payee, amount: payout.amount, withdrawalId: payout.withdrawalId }
  expect(await payouts.payoutAt(anvil.chainId, payout.nonce)).toEqual({ txHash, signedTransaction, payout: named })
  expect(await payouts.payoutAt(anvil.chainId, payout.nonce + 1n)).toBeNull()
})

describe('the transaction of a nonce', () => {
  type Lie = Parameters<Awaited<ReturnType<typeof startRpcProxy>>['lie']>[0]
  const refused = { error: { code: -32601, message: 'missing trie node' } }

  async function foundBy(lie: Lie, nonce: bigint) {
    const proxy = await startRpcProxy(anvil.url)
    proxy.lie(lie)
    try {
      return await payoutsOf({ urls: [proxy.url] }).payoutAt(anvil.chainId, nonce)
    } finally {
      await proxy.stop()
    }
  }
  const isIndex = (method: string) => method.startsWith('ots_')
  const isOldState = async () => {
    const head = Number(await anvil.client.getBlockNumber())
    return (method: string, block: unknown) => method === 'eth_getTransactionCount' && Number(block) !== head
  }

  test('the transaction of a nonce is found without an index of senders', async () => {
    const payout = await newPayout()
    const { txHash } = await paid(payout)
    const found = await foundBy(({ method }) => (isIndex(method) ? refused : undefined), payout.nonce)
    expect(found).toMatchObject({ txHash })
  })

  test('the transaction of a nonce is found by the index of a pruned node', async () => {
    const payout = await newPayout()
    const { txHash } = await paid(payout)
    const isOld = await isOldState()
    const found = await foundBy(({ method, params }) => (isOld(method, params[1]) ? refused : undefined), payout.nonce)
    expect(found).toMatchObject({ txHash })
  })

  test('a pruned node without an index causes an upstream error', async () => {
    const payout = await newPayout()
    await paid(payout)
    const isOld = await isOldState()
    const found = foundBy(
      ({ method, params }) => (isIndex(method) || isOld(method, params[1]) ? refused : undefined),
      payout.nonce,
    )
    await expect(found).rejects.toThrow(UpstreamError)
  })

  test('a nonce used by an EIP-7702 authorization is found in the transaction of another sender', async () => {
    const account = privateKeyToAccount(privateKey)
    const { nonce } = await newPayout()
    const allowed = await account.signAuthorization({ address: token, chainId: anvil.chainId, nonce: Number(nonce) })
    const sender = anvilAccount(2)
    const sent = { account: sender, to: sender.address, authorizationList: [allowed] }
    const hash = await anvil.client.sendTransaction(sent)
    await mine(1)
    expect(await payouts.payoutNonce(anvil.chainId)).toBe(nonce + 1n)
    const found = await payouts.payoutAt(anvil.chainId, nonce)
    expect(found).toMatchObject({ txHash: hash, payout: null })
  })

  test('the transaction of a nonce is found despite a wrong index', async () => {
    const other = await paid(await newPayout())
    const payout = await newPayout()
    const { txHash } = await paid(payout)
    const found = await foundBy(({ method }) => (isIndex(method) ? { result: other.txHash } : undefined), payout.nonce)
    expect(found).toMatchObject({ txHash })
  })
})

test('the first nonce is the nonce of the wallet just before the first watched block', async () => {
  const { nonce } = await newPayout()
  await paid(await newPayout())
  const head = await anvil.client.getBlockNumber()
  expect(await payoutsOf({ startBlock: head + 1n }).firstNonce(anvil.chainId)).toBe(nonce + 1n)
  expect(await payoutsOf({ startBlock: head - BigInt(depth) }).firstNonce(anvil.chainId)).toBe(nonce)
  expect(await payouts.firstNonce(anvil.chainId)).toBe(0n)
})

test('the next nonce is the highest that any responding node reports', async () => {
  const payout = await newPayout()
  const forgetful = await startRpcProxy(anvil.url)
  forgetful.lie(({ method }) =>
    method === 'eth_getTransactionCount' ? { result: numberToHex(payout.nonce) } : undefined,
  )
  const silent = 'http://127.0.0.1:1'
  const nextFor = (...urls: string[]) => payoutsOf({ urls }).payoutNonce(anvil.chainId)
  await payouts.sendPayout(anvil.chainId, (await payouts.signPayout(payout)).signedTransaction)
  expect(await nextFor(forgetful.url)).toBe(payout.nonce)
  expect(await nextFor(forgetful.url, silent, anvil.url)).toBe(payout.nonce + 1n)
  await expect(nextFor(silent, silent)).rejects.toThrow(UpstreamError)
  await forgetful.stop()
})

test('payout fees allow a doubled base fee, rise by at least a tenth in a fee bump, and never exceed the ceiling', async () => {
  const payout = await newPayout()
  const first = await payouts.signPayout(payout)
  const bumped = await payouts.bumpPayoutFee({ ...payout, signer }, first.signedTransaction, 'always')
  const feesOf = (text = '') => {
    const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, nonce, gas } = parseTransaction(text as Hex)
    return { maxFeePerGas, maxPriorityFeePerGas, nonce, gas }
  }
  const [low, high] = [feesOf(first.signedTransaction), feesOf(bumped?.signedTransaction)]
  const { baseFeePerGas } = await anvil.client.getBlock()
  expect(low.maxFeePerGas).toBe(2n * (baseFeePerGas ?? 0n) + low.maxPriorityFeePerGas)
  expect(high.maxFeePerGas * 10n).toBeGreaterThanOrEqual(low.maxFeePerGas * 11n)
  expect(high.maxPriorityFeePerGas * 10n).toBeGreaterThanOrEqual(low.maxPriorityFeePerGas * 11n)
  expect([high.nonce, high.gas]).toEqual([low.nonce, low.gas])

  const lowCeiling = payoutsOf({ feeCeilingPerGas: 1000n })
  const cheap = await lowCeiling.signPayout(payout)
  expect(feesOf(cheap.signedTransaction)).toMatchObject({ maxFeePerGas: 1000n, maxPriorityFeePerGas: 1000n })
  expect(await lowCeiling.bumpPayoutFee({ ...payout, signer }, cheap.signedTransaction, 'always')).toBeNull()
})

test('a payout with a fee below the market gets another fee bump, and one with a higher fee does not', async () => {
  const payout = { ...(await newPayout()), signer }
  const { signedTransaction } = await payouts.signPayout(payout)
  expect(await payouts.bumpPayoutFee(payout, signedTransaction, 'below market')).toBeNull()
  await anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('50') })
  await mine(1)
  const bumped = await payouts.bumpPayoutFee(payout, signedTransaction, 'below market')
  expect(parseTransaction(bumped?.signedTransaction as Hex).maxFeePerGas).toBeGreaterThan(parseGwei('80'))
})

test('a payout that another wallet signed gets no fee bump', async () => {
  const payout = await newPayout()
  const { signedTransaction } = await payouts.signPayout(payout)
  const signedByOther = { ...payout, signer: anvilAccount(1).address }
  expect(await payouts.bumpPayoutFee(signedByOther, signedTransaction, 'always')).toBeNull()
})

test('payout funds are the token balance and the number of affordable transactions', async () => {
  const { amount } = await payouts.payoutFunds(anvil.chainId, token)
  expect(amount).toBeGreaterThan(0n)
  await anvil.client.setBalance({ address: signer, value: 1n })
  expect(await payouts.payoutFunds(anvil.chainId, token)).toEqual({ amount, transactions: 0n })
  await expect(newPayout().then((payout) => paid(payout))).rejects.toThrow(UpstreamError)
  await anvil.client.setBalance({ address: signer, value: 10n ** 18n })
  // A token address without a contract is an error, not a zero balance.
  await expect(payouts.payoutFunds(anvil.chainId, payee)).rejects.toThrow(UpstreamError)
  await expect(payouts.payoutFunds(1, token)).rejects.toThrow(UpstreamError)
})

describe('a dishonest token', () => {
  const modes = ['Honest', 'ReturnsNothing', 'ReturnsFalse', 'SaysNothing', 'TakesFee', 'Reverts', 'BurnsGas']
  async function setMode(name: string): Promise<void> {
    await anvil.rpc('evm_setAutomine', [true])
    await send(anvil, 'OddPayer', { to: odd, call: 'setMode', args: [modes.indexOf(name)] })
    await anvil.rpc('evm_setAutomine', [false])
  }

  for (const [mode, status] of [
    ['Honest', 'paid'],
    ['ReturnsNothing', 'paid'],
    ['ReturnsFalse', 'unpaid'],
    ['SaysNothing', 'unpaid'],
    ['TakesFee', 'unpaid'],
  ] as const) {
    test(`a mined payout of a token with behavior "${mode}" is ${status}`, async () => {
      await setMode(mode)
      const payout = await newPayout({ token: odd, amount: 100n })
      const { txHash } = await paid(payout)
      expect(await stateOf(payout, txHash)).toMatchObject({ status, txHash })
    })
  }

  for (const mode of ['Reverts', 'BurnsGas']) {
    test(`no payout is signed for a token with behavior "${mode}"`, async () => {
      await setMode(mode)
      await expect(newPayout({ token: odd }).then((payout) => payouts.signPayout(payout))).rejects.toThrow(
        UpstreamError,
      )
    })
  }
})

test('an event of another token, sender or payee does not prove a payout', async () => {
  const payout = await newPayout()
  const { txHash } = await paid(payout)
  for (const change of [
    { token: odd },
    { toAddress: anvilAccount(1).address },
    { amount: 6n },
    { signer: anvilAccount(1).address },
  ]) {
    const claimed = { ...payout, signer, txHashes: [txHash], ...change }
    expect(await payouts.payoutState(claimed)).toMatchObject({ status: 'unpaid' })
  }
})
