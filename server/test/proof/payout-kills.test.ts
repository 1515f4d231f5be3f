import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PayoutChain, startPayoutChain } from '../support/chain/payout-chain.ts'
import { type RpcProxy, startRpcProxy } from '../support/chain/rpc-proxy.ts'
import { httpClient, startService, type TestService, type TestUser } from '../support/service.ts'
import { type Kms, startKms } from '../support/vendors/kms.ts'
import { checkBooks } from '../support/world.ts'
import { type Postgres, type Process, startPostgres, startProcess } from './processes.ts'

/**
 * Kills (-9) the real process at each step of a payout on a real chain, signed by a key in a KMS. The next process
 * continues from the stored state and pays every withdrawal exactly once. The file is slow because it starts and stops
 * twelve processes.
 */
const eur = 10n ** 18n
const patienceMilliseconds = 120_000

let kms: Kms
let proxy: RpcProxy
let chain: PayoutChain
let postgres: Postgres
let observer: TestService

beforeAll(async () => {
  kms = await startKms()
  chain = await startPayoutChain(getAddress(kms.address))
  proxy = await startRpcProxy(chain.anvil.url)
  await chain.anvil.rpc('evm_setAutomine', [true])
  postgres = await startPostgres()
  // Creates users and their deposits. Without a worker, it pays nothing.
  observer = await startService({ connection: postgres.connection, worker: false, env: chain.env })
})
afterAll(async () => {
  await observer?.stop()
  await postgres?.remove()
  await chain?.anvil.stop()
  await proxy?.stop()
  await kms?.stop()
})

const startPayer = () =>
  startProcess(postgres.connection, {
    ...chain.env,
    ...kms.env,
    CHAIN: 'evm',
    ROLES: 'api,worker',
    [`RPC_URL_${chain.anvil.chainId}`]: proxy.url,
    [`FINALITY_${chain.anvil.chainId}`]: '2',
    SIGNER: 'aws-kms',
    KMS_KEY_ID: kms.keyId,
    KMS_REGION: kms.region,
    KMS_ENDPOINT: kms.url,
  })

async function funded(): Promise<TestUser> {
  const user = await observer.newUser()
  const body = { userId: user.userId, token: chain.token, amount: String(9n * eur) }
  await observer.sandbox('POST', '/deposits', body)
  return user
}

async function withdraw(user: TestUser): Promise<void> {
  const token = await observer.signIn(user.wallet)
  const body = { tokenAddress: chain.token, amount: String(4n * eur) }
  const answer = await observer.request('POST', '/user/withdrawal', { token, body })
  if (answer.status !== 201) throw new Error(answer.text)
}

async function areCompleted(users: readonly TestUser[]): Promise<boolean> {
  const withdrawals = await observer.ctx.db.query<{ status: string }>(
    'select status from withdrawal where user_id = any($1)',
    [users.map(({ userId }) => userId)],
  )
  return withdrawals.length === users.length && withdrawals.every(({ status }) => status === 'completed')
}

async function assertCompleted(users: readonly TestUser[], payer: Process): Promise<void> {
  for (const until = performance.now() + patienceMilliseconds; performance.now() < until; await delay(50)) {
    // The leases of the killed process expire, and blocks are mined.
    await httpClient(payer.url).sandbox('POST', '/clock', { advanceSeconds: 61 })
    await chain.mineToFinality()
    if (await areCompleted(users)) return
  }
  throw new Error('withdrawals are not completed')
}

/** The steps at which the process is killed. Each function arms the kill once. */
const moments: Record<string, (kill: () => void) => void> = {
  'after the transaction is signed and before it is stored': (kill) => kms.onSign(kill),
  'after the transaction is stored and before it is sent': (kill) => cutOnce('eth_sendRawTransaction', 'request', kill),
  'after the transaction is sent and before its response arrives': (kill) =>
    cutOnce('eth_sendRawTransaction', 'response', kill),
  'after the transaction is mined and before it is recorded': (kill) =>
    cutOnce('eth_getTransactionReceipt', 'response', kill),
}

function cutOnce(method: string, moment: 'request' | 'response', kill: () => void): void {
  proxy.cutWhen((called, when, result) => {
    if (called !== method || when !== moment || result === null) return false
    kill()
    return true
  })
}

function disarm(): void {
  kms.onSign(() => {})
  proxy.cutWhen(() => false)
}

/** Completes all withdrawals with an undisturbed process, then asserts that each user was paid exactly once. */
async function assertPaidOnce(users: Parameters<typeof assertCompleted>[0]): Promise<void> {
  const payer = await startPayer()
  try {
    await assertCompleted(users, payer)
  } finally {
    await payer.kill('SIGTERM')
  }
  for (const user of users) expect(await chain.paidTo(user.wallet.address)).toEqual([4n * eur])
}

describe('payouts interrupted by a kill are paid exactly once', { tags: ['fault-17'] }, () => {
  for (const [moment, arm] of Object.entries(moments)) {
    test(`a kill ${moment} leaves every withdrawal paid exactly once`, async () => {
      const users = await Promise.all([funded(), funded(), funded()])
      const victim = await startPayer()
      const ended = once(victim.child, 'exit')
      arm(() => victim.child.kill('SIGKILL'))
      await Promise.all(users.map(withdraw))
      await ended
      disarm()
      await assertPaidOnce(users)
      await checkBooks(observer)
    })
  }

  test('repeated kills during requests to the node neither reuse nor skip a nonce', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, funded))
    for (const [round, fatal] of [12, 32, 20].entries()) {
      const victim = await startPayer()
      const ended = once(victim.child, 'exit')
      let requests = 0
      proxy.cutWhen(() => {
        const isCut = ++requests >= fatal
        if (isCut) victim.child.kill('SIGKILL')
        return isCut
      })
      await Promise.all(users.slice(2 * round, 2 * round + 2).map(withdraw))
      // The leases of the previously killed process expire.
      await httpClient(victim.url)
        .sandbox('POST', '/clock', { advanceSeconds: 61 })
        .catch(() => {})
      await ended
      disarm()
    }
    await assertPaidOnce(users)
    const rows = await observer.ctx.db.query<{ nonce: bigint }>('select nonce from payout_transaction order by nonce')
    expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, i) => BigInt(i)))
    expect(await chain.anvil.client.getTransactionCount({ address: chain.signer })).toBe(rows.length)
    expect(kms.rejections).toEqual([])
    await checkBooks(observer)
  })
})
