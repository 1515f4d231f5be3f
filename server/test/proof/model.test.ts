import { beforeAll, expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { advanceDeposit, followTransfer, seeDeposit } from '../../src/money/deposits/deposits.ts'
import { sealChore } from '../../src/money/reconcile/jobs.ts'
import { requestWithdrawal } from '../../src/money/withdrawals/withdrawals.ts'
import { controlsOf } from '../../src/sandbox/sandbox.ts'
import { callerOf, startService, type TestService } from '../support/service.ts'
import { conflictOften, countConflicts } from './conflicts.ts'
import { answered, type Step, stepsOf, type Target, type Transfer, type User } from './steps.ts'
import { newWorld, play, shrink, tokens } from './world.ts'

/**
 * Plays random steps of users against the real service and a real PostgreSQL. After each group of steps, the responses,
 * the books and the statement must match the model's prediction, and the invariants must hold.
 */
const total = Number(process.env['PROOF_STEPS'] ?? 1000)
const firstSeed = Number(process.env['PROOF_SEED'] ?? Date.now() % 2 ** 31)
const stepsARun = 100
/** A new service is started after so many steps, because the data of earlier users slows down its database. */
const stepsAService = 5000

const again = (seed: number) => `PROOF_SEED=${seed} PROOF_STEPS=${total} npm test -- test/proof/model.test.ts`
beforeAll(() => {
  process.stdout.write(`The proof takes ${total} steps from seed ${firstSeed}; ${again(firstSeed)} repeats it.\n`)
})

const timeout = total * 60 + 600_000

test(`the outcomes of ${total} random steps match the model (seed ${firstSeed})`, { timeout }, () => live(total))

/** Rounded up to whole runs, so that the command that repeats a failed run works for this test too. */
const disturbedTotal = Math.ceil(total / 4 / stepsARun) * stepsARun

test(`the outcomes of ${disturbedTotal} random steps match the model while PostgreSQL aborts transactions (seed ${firstSeed})`, {
  timeout,
}, async () => {
  await live(disturbedTotal, async (service) => {
    await conflictOften(service.connection)
    return async () => expect(await countConflicts(service.ctx.db)).toBeGreaterThan(0)
  })
})

/** Calls `disturb` before the first step of each service, and the function that it returns after the last step. */
async function live(count: number, disturb?: (service: TestService) => Promise<() => Promise<void>>): Promise<void> {
  for (let first = 0; first < count; first += stepsAService) {
    const service = await startService({
      worker: false,
      env: { TOKENS: JSON.stringify(tokens), DATABASE_POOL_SIZE: '20' },
    })
    try {
      const assertDisturbed = await disturb?.(service)
      for (let at = first; at < Math.min(first + stepsAService, count); at += stepsARun) {
        await liveOnce(service, firstSeed + at / stepsARun, Math.min(stepsARun, count - at))
      }
      await assertDisturbed?.()
    } finally {
      await service.stop()
    }
  }
}

async function liveOnce(service: TestService, seed: number, count: number): Promise<void> {
  const steps = stepsOf(seed, count)
  const first = await playInNewWorld(service, steps)
  if (first.failure === null) return
  const short = await shrink(steps, async (fewer) => (await playInNewWorld(service, fewer)).failure)
  // Report the first failure too, because a failure that depends on timing may not recur while the list is shrunk.
  expect.fail(`${await report(service, seed, short)}\n\nAt first: ${first.failure}\n\n${first.trace.join('\n')}`)
}

async function playInNewWorld(service: TestService, steps: readonly Step[]) {
  const world = await newWorld(service, targetOf(service), service)
  return { failure: await play(world, steps), trace: world.trace }
}

/** Describes a failing run with all its requests, which is enough to write a separate test. */
async function report(service: TestService, seed: number, steps: readonly Step[]): Promise<string> {
  const { failure, trace } = await playInNewWorld(service, steps)
  const repeat = `PROOF_SEED=${seed} PROOF_STEPS=${stepsARun} npm test -- test/proof/model.test.ts`
  const lines = trace.map((line, i) => `${i + 1}. ${line}`).join('\n')
  return `${failure ?? 'it does not always fail'}\n\n${lines}\n\nRepeat it: ${repeat}`
}

function targetOf({ ctx, sandbox }: TestService): Target {
  return {
    sandbox: (method, path, body, key) =>
      sandbox(method, path, body, key === undefined ? {} : { 'idempotency-key': key }),
    async withdraw({ token }, tokenAddress, amount) {
      const caller = callerOf(token)
      try {
        const withdrawalId = await ctx.db.transaction((tx) =>
          requestWithdrawal(ctx, tx, caller, { tokenAddress, amount }),
        )
        return answered(201, { withdrawalId })
      } catch (error) {
        if (error instanceof Refusal) return answered(error.status, { success: false, error: error.code })
        throw error
      }
    },
    inside: insideOf(ctx),
  }
}

function insideOf(ctx: Ctx): NonNullable<Target['inside']> {
  const { chain, screening } = controlsOf(ctx)
  const transfers = new Map<string, Parameters<typeof seeDeposit>[1]>()
  const transferOf = (depositId: string) => {
    const transfer = transfers.get(depositId)
    if (!transfer) throw new Error('no such transfer')
    return transfer
  }
  return {
    async see({ accountAddress }: User, id: string, { token, units, sender }: Transfer) {
      const transfer =
        transfers.get(id) ??
        chain.mineTransfer(`${accountAddress} ${id}`, {
          chainId: 1,
          token,
          amount: units,
          fromAddress: screening.senderFor(sender),
          toAddress: accountAddress,
        })
      const key = await seeDeposit(ctx, transfer)
      if (key === null) throw new Error('no user has the address of the transfer')
      transfers.set(key.depositId, transfer)
      return key.depositId
    },
    async look({ userId }, id) {
      await advanceDeposit(ctx, { userId, id })
    },
    async chain({ userId }, depositId, says) {
      chain.setTransferState(transferOf(depositId), says)
      await followTransfer(ctx, { userId, depositId }, says)
    },
    seal: () => sealChore.run(ctx, new AbortController().signal),
  }
}
