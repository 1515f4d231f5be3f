import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { deploy, send } from '../../support/chain/anvil.ts'
import { finality, startWatched, type Watched } from '../../support/chain/watched-chain.ts'
import { newOperator, propose } from '../../support/console.ts'
import { runMoneyCommand, runOperator } from '../../support/operator.ts'
import type { TestUser } from '../../support/service.ts'

const eur = 10n ** 18n
const nobody = '0x00000000000000000000000000000000000000b0'

let chain: Watched
beforeAll(async () => {
  chain = await startWatched({ contract: 'FickleToken' })
})
afterAll(() => chain.stop())

const call = (method: string, args: readonly unknown[]) =>
  send(chain.anvil, 'FickleToken', { to: chain.token, call: method, args })
const senderFor = (result: 'approved' | 'rejected' | 'pending') =>
  chain.service.ctx.sandbox?.screening.senderFor(result) ?? ''
const rawOf = (txHash: string): Promise<string> => chain.anvil.rpc('eth_getRawTransactionByHash', [txHash])

describe('inbound transfers', () => {
  test('a transfer is pending when first seen and credited when its block is final', async () => {
    const user = await chain.service.newUser()
    const txHash = await chain.mint(user.accountAddress, 5n * eur)
    await chain.follow()
    const seen = await chain.summaryOf(user)
    expect(seen).toMatchObject({ own: 0n, processing: 5n * eur, items: [{ status: 'pending', txHash }] })
    await chain.mine(finality - 1)
    await chain.follow()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, processing: 5n * eur })
    await chain.mine(1)
    await chain.follow()
    expect(await chain.summaryOf(user)).toMatchObject({
      own: 5n * eur,
      processing: 0n,
      items: [{ status: 'approved' }],
    })
    await chain.assertBooks(user)
  })

  test('a transfer that screening rejects is frozen when its block is final', async () => {
    const user = await chain.service.newUser()
    await call('moveFrom', [senderFor('rejected'), user.accountAddress, eur, eur])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, frozen: eur, items: [{ status: 'rejected' }] })
    await chain.assertBooks(user)
  })

  test('a transfer to an unknown address, of zero, to its own sender or of an NFT is not a deposit', async () => {
    const user = await chain.service.newUser()
    await call('mint', [nobody, eur])
    await call('mint', [user.accountAddress, 0n])
    await call('moveRound', [user.accountAddress, eur])
    await call('moveUnique', [user.accountAddress])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, processing: 0n, items: [] })
  })
})

describe('reorganizations', { tags: ['fault-14'] }, () => {
  test.each(Array.from({ length: finality }, (_, i) => i + 1))(
    'a reorganization of depth %i reverses a deposit, which is credited once when it is mined again',
    async (depth) => {
      const user = await chain.service.newUser()
      const txHash = await chain.mint(user.accountAddress, eur)
      const raw = await rawOf(txHash)
      await chain.mine(depth - 1)
      await chain.follow()
      expect(await chain.summaryOf(user)).toMatchObject({ processing: eur, items: [{ status: 'pending' }] })

      await chain.anvil.rpc('anvil_reorg', [depth, []])
      await chain.follow()
      const gone = await chain.summaryOf(user)
      expect(gone).toMatchObject({ own: 0n, processing: 0n })
      expect(gone.items).toMatchObject([{ status: 'rejected', description: 'Deposit of EURe (REORGED)', txHash }])
      await chain.settle()
      expect(await chain.summaryOf(user)).toEqual(gone)

      await chain.anvil.rpc('eth_sendRawTransaction', [raw])
      await expect.poll(() => chain.anvil.rpc('eth_getTransactionReceipt', [txHash])).not.toBeNull()
      await chain.follow()
      expect(await chain.summaryOf(user)).toMatchObject({
        own: 0n,
        processing: eur,
        items: [{ status: 'pending', txHash }],
      })
      await chain.settle()
      const back = await chain.summaryOf(user)
      expect(back).toMatchObject({ own: eur, processing: 0n, items: [{ status: 'approved' }] })
      expect(back.items).toHaveLength(1)
      await chain.assertBooks(user)
    },
  )

  test('a reorganization of final blocks debits the credited deposit and leaves a debt', async () => {
    const user = await chain.service.newUser()
    await chain.mint(user.accountAddress, 5n * eur)
    await chain.settle()
    const body = { tokenAddress: chain.token, amount: String(2n * eur) }
    const asked = await chain.service.request('POST', '/user/withdrawal', { token: user.token, body })
    expect(asked.status).toBe(201)

    await chain.anvil.rpc('anvil_reorg', [finality + 1, []])
    await chain.follow()
    expect(await chain.summaryOf(user)).toMatchObject({ own: -2n * eur, items: [{}, { status: 'rejected' }] })
    const { values } = await chain.service.ctx.metrics.lostDeposits.get()
    expect(values.filter(({ value }) => value > 0)).toMatchObject([{ labels: { was: 'credited' }, value: 1 }])
    await chain.assertBooks(user)

    await chain.mint(user.accountAddress, 3n * eur)
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
    await chain.assertBooks(user)
  })

  test('a reorganization deeper than the stored hashes is found by the blocks of deposits', async () => {
    const [early, late] = [await chain.service.newUser(), await chain.service.newUser()]
    await call('moveFrom', [senderFor('rejected'), early.accountAddress, eur, eur])
    await chain.mine(3)
    await call('moveFrom', [senderFor('rejected'), late.accountAddress, eur, eur])
    await chain.mine(10)
    await chain.follow()
    await chain.service.ctx.db.query('delete from watched_block where number < (select max(number) from watched_block)')
    await chain.anvil.rpc('anvil_reorg', [11, []])
    await chain.follow()
    expect(await chain.summaryOf(late)).toMatchObject({
      frozen: 0n,
      items: [{ description: 'Deposit of EURe (REORGED)' }],
    })
    expect(await chain.summaryOf(early)).toMatchObject({ frozen: eur })
    await chain.assertBooks(late)
  })

  test('a reorganization that moves a transfer to another block credits it once', async () => {
    const user = await chain.service.newUser()
    const raw = await rawOf(await chain.mint(user.accountAddress, eur))
    await chain.follow()
    await chain.anvil.rpc('anvil_reorg', [1, [[raw, 0]]])
    await chain.anvil.rpc('eth_sendRawTransaction', [raw]).catch(() => {})
    await chain.settle()
    const { own, items } = await chain.summaryOf(user)
    expect({ own, items }).toMatchObject({ own: eur, items: [{ status: 'approved' }] })
    expect(items).toHaveLength(1)
    await chain.assertBooks(user)
  })
})

describe('credited amounts', { tags: ['fault-15'] }, () => {
  test('two transfers in one transaction are credited as two deposits', async () => {
    const user = await chain.service.newUser()
    await call('moveTwice', [user.accountAddress, eur, eur])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 2n * eur, items: [{}, {}] })
    await chain.assertBooks(user)
  })

  test('the log position of a deposit counts within its transaction, not within the block', async () => {
    const [one, other] = [await chain.service.newUser(), await chain.service.newUser()]
    await chain.anvil.rpc('evm_setAutomine', [false])
    onTestFinished(() => chain.anvil.rpc('evm_setAutomine', [true]))
    const sent = [one, other].map(({ accountAddress }, from) =>
      send(chain.anvil, 'FickleToken', {
        to: chain.token,
        call: 'moveAfterNoise',
        args: [accountAddress, eur],
        from,
      }),
    )
    await expect.poll(async () => (await chain.anvil.client.getTxpoolStatus()).pending).toBe(2)
    await chain.mine(1)
    await Promise.all(sent)
    await chain.anvil.rpc('evm_setAutomine', [true])
    await chain.settle()
    const rows = await chain.service.ctx.db.query(
      'select log_position from deposit where user_id = any($1::uuid[]) and chain_state = $2',
      [[one.userId, other.userId], 'final'],
    )
    expect(rows).toEqual([{ log_position: 1 }, { log_position: 1 }])
  })

  test('a transaction that transfers another amount when mined again is credited with the later amount', async () => {
    const user = await chain.service.newUser()
    const { transactionHash, blockNumber } = await call('moveByBlock', [user.accountAddress])
    const raw = await rawOf(transactionHash)
    await chain.follow()
    expect(await chain.summaryOf(user)).toMatchObject({ processing: blockNumber * eur })
    await chain.anvil.rpc('anvil_reorg', [1, []])
    await chain.mine(2)
    await chain.anvil.rpc('eth_sendRawTransaction', [raw])
    await expect.poll(() => chain.anvil.rpc('eth_getTransactionReceipt', [transactionHash])).not.toBeNull()
    await chain.settle()
    const { own, items } = await chain.summaryOf(user)
    expect({ own, items: items.length }).toEqual({ own: (blockNumber + 3n) * eur, items: 1 })
    expect(items[0]).toMatchObject({ status: 'approved', txHash: transactionHash, amount: String(own) })
    await chain.assertBooks(user)
  })

  test('the fee that a token deducts from a transfer is not credited', async () => {
    const user = await chain.service.newUser()
    const alarms = await chain.alarms('arrival_differs')
    await call('moveFrom', [nobody, user.accountAddress, 100n * eur, 98n * eur])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 98n * eur, items: [{ amount: String(98n * eur) }] })
    expect(await chain.alarms('arrival_differs')).toBe(alarms + 1)
    await chain.assertBooks(user)
  })

  test('a transfer log without an actual transfer credits nothing', async () => {
    const user = await chain.service.newUser()
    await call('moveFrom', [nobody, user.accountAddress, 100n * eur, 0n])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, processing: 0n, items: [] })
  })

  test('a rebase is credited only in the block of a transfer, with an alarm', async () => {
    const user = await chain.service.newUser()
    const alarms = await chain.alarms('arrival_differs')
    await call('moveFrom', [nobody, user.accountAddress, 0n, 7n * eur])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, processing: 0n, items: [] })
    await call('moveFrom', [nobody, user.accountAddress, 10n * eur, 10n * eur])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 10n * eur })
    expect(await chain.alarms('arrival_differs')).toBe(alarms)
    await call('moveFrom', [nobody, user.accountAddress, 10n * eur, 11n * eur])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 21n * eur })
    expect(await chain.alarms('arrival_differs')).toBe(alarms + 1)
    await chain.assertBooks(user)
  })

  test('several transfers with a fee in one block stay pending, with an alarm', async () => {
    const user = await chain.service.newUser()
    await call('moveTwice', [user.accountAddress, 100n * eur, 98n * eur])
    await chain.settle()
    const pending = { own: 0n, processing: 200n * eur, items: [{ status: 'pending' }, { status: 'pending' }] }
    expect(await chain.summaryOf(user)).toMatchObject(pending)
    expect(await chain.alarms('arrival_unknown')).toBeGreaterThanOrEqual(2)
    await chain.assertBooks(user)
  })

  test('a deposit with an unknown arrival is listed as a transfer to declare, not as a waiting deposit', async () => {
    const user = await chain.service.newUser()
    const viewer = await newOperator(chain.service, 'viewer')
    const count = async (work: string): Promise<number> =>
      (await viewer.ask('GET', '/overview')).body.data.find((each: any) => each.work === work).count
    const counts = () => Promise.all([count('depositsWaiting'), count('arrivalsUnknown')])
    const listed = async (path: string): Promise<any[]> =>
      (await viewer.ask('GET', path)).body.data.filter(({ userId }: any) => userId === user.userId)

    const [waiting, undeclared] = await counts()
    await call('moveTwice', [user.accountAddress, 100n * eur, 98n * eur])
    await chain.settle()
    expect(await counts()).toEqual([waiting, undeclared + 2])
    expect(await listed('/deposits?state=waiting&limit=100')).toEqual([])
    const deposits = await listed(`/users/${user.userId}/deposits`)
    const ids = deposits.map(({ depositId }) => depositId)
    expect(ids).toHaveLength(2)
    const transfers = await listed('/deposits?state=untold&limit=100')
    expect(transfers.map(({ depositId }) => depositId)).toEqual(expect.arrayContaining(ids))
    expect(transfers).toHaveLength(2)
    const screened = { chainState: 'unfinal', screening: 'approved', riskScore: 5, riskTier: 'low' }
    expect(transfers).toMatchObject([screened, screened])

    const subject: string = transfers[0]?.transfer
    await runMoneyCommand(chain.service, 'transfers tell <transfer> <amount> <reason>', subject, '98', 'by the token')
    expect(await counts()).toEqual([waiting + 1, undeclared + 1])
    expect(await listed('/deposits?state=waiting&limit=100')).toMatchObject([{ depositId: transfers[0]?.depositId }])
  })

  test('a transfer with an unknown arrival is credited once with the amount that an operator declares', async () => {
    const [user, other] = [await chain.service.newUser(), await chain.service.newUser()]
    const { transactionHash } = await call('moveTwice', [user.accountAddress, 100n * eur, 98n * eur])
    await call('moveTwice', [other.accountAddress, 10n * eur, 5n * eur])
    await chain.follow()
    const lines = (await runMoneyCommand(chain.service, 'transfers list')).split('\n')
    const namesOf = ({ userId }: TestUser) =>
      lines.flatMap((line) => (line.includes(userId) ? (line.split(' ')[0] ?? '') : []))
    const [first = '', second = ''] = namesOf(user)
    expect([first, second]).toEqual([`31337:${transactionHash}:0`, `31337:${transactionHash}:1`])
    const declare = (...given: string[]) =>
      runMoneyCommand(chain.service, 'transfers tell <transfer> <amount> <reason>', ...given)

    await expect(declare(first, '98.5', 'by the token')).rejects.toThrow('The block of the transfer is not final yet')
    await chain.settle()
    expect(
      await runOperator(chain.service, ['transfers', 'tell', first, '98.5', 'by', 'the', 'token'], chain.env),
    ).toEqual({
      code: 0,
      output: '98.500000000000000000 EURe arrived: the deposit goes on to screening.\n',
    })
    await chain.service.jobs.runDue()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 98n * eur + eur / 2n, processing: 100n * eur })
    await expect(declare(second, '100.1', 'too much')).rejects.toThrow('cannot exceed the amount')
    await expect(declare(second, 'all', 'no number')).rejects.toThrow('a quantity of tokens')
    const operator = await newOperator(chain.service, 'money')
    const change = { command: 'transfers tell', subject: second, arguments: { amount: '97.5' }, reason: 'the rest' }
    expect((await propose(operator, change)).body).toMatchObject({ status: 'executed', state: { userId: user.userId } })
    await expect(declare(second, '1', 'again')).rejects.toThrow('is not a transfer with an unknown arrival')
    for (const name of namesOf(other)) await declare(name, '0', 'it never came')
    await chain.service.jobs.runDue()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 196n * eur, processing: 0n })
    expect(await chain.summaryOf(other)).toMatchObject({ own: 0n, processing: 0n })
    expect(await runMoneyCommand(chain.service, 'decisions list')).toContain(
      `ada  transfers tell 98.5  ${first}  by the token`,
    )
    for (const one of [user, other]) await chain.assertBooks(one)
  })

  test('a deposit that is swept in the block of its arrival is credited', async () => {
    const user = await chain.service.newUser()
    await call('moveThrough', [user.accountAddress, nobody, eur])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: eur })
  })

  test.each([
    [1, 'reverts'],
    [2, 'burns all gas'],
    [3, 'returns nothing'],
  ])('a deposit of a token in mode %i, whose balance call %s, stays pending', async (mood) => {
    const user = await chain.service.newUser()
    await call('setMood', [mood])
    await call('mint', [user.accountAddress, eur])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, processing: eur, items: [{ status: 'pending' }] })
    await call('setMood', [0])
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, processing: eur })
  })

  test('a token whose balance response is a megabyte credits nothing', async () => {
    const user = await chain.service.newUser()
    await call('setMood', [4])
    await call('mint', [user.accountAddress, eur])
    await call('setMood', [0])
    await chain.settle()
    // The first word is zero before and after the transfer, so nothing is credited.
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n })
  })

  test('a transfer of an unknown token is recorded but not credited', async () => {
    const user = await chain.service.newUser()
    const fake = await deploy(chain.anvil, 'FickleToken', ['EURe', 18])
    await chain.mint(user.accountAddress, 1000n * eur, fake)
    await chain.settle()
    expect(await chain.summaryOf(user)).toMatchObject({ own: 0n, processing: 0n, items: [] })
    const noted = await chain.service.ctx.db.query('select token, to_address, amount from unknown_transfer')
    expect(noted).toEqual([{ token: getAddress(fake), to_address: user.accountAddress, amount: 1000n * eur }])
    await chain.anvil.rpc('anvil_reorg', [finality + 1, []])
    await chain.follow()
    expect(await chain.service.ctx.db.query('select token from unknown_transfer')).toEqual([])
  })
})
