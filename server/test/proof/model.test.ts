import { beforeAll, expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { addSeconds } from '../../src/lib/clock.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { advanceDeposit, followTransfer, seeDeposit } from '../../src/money/deposits/deposits.ts'
import { sealChore } from '../../src/money/reconcile/jobs.ts'
import { requestWithdrawal } from '../../src/money/withdrawals/withdrawals.ts'
import type { UserCaller } from '../../src/platform/http/access.ts'
import { controlsOf } from '../../src/sandbox/sandbox.ts'
import { startService, type TestService } from '../support/service.ts'
import { conflictOften, countConflicts } from './conflicts.ts'
import { answered, type Step, stepsOf, type Target, type Transfer, type User } from './steps.ts'
import { newWorld, play, shrink, tokens } from './world.ts'

/**
 * The proof: lives of users made of random steps, against the real service and a real PostgreSQL. After each step (or
 * few steps at once) the answers, the books and the statement are what the model foretells, and the invariants hold.
 */
const total = Number(process.env['PROOF_STEPS'] ?? 2000)
const firstSeed = Number(process.env['PROOF_SEED'] ?? Date.now() % 2 ** 31)
const stepsARun = 100
/** The database of thousands of steps is heavy with what became of earlier users. */
const stepsAService = 5000

const again = (seed: number) => `PROOF_SEED=${seed} PROOF_STEPS=${total} npm test -- test/proof/model.test.ts`
beforeAll(() => {
  process.stdout.write(`The proof takes ${total} steps from seed ${firstSeed}; ${again(firstSeed)} repeats it.\n`)
})

const timeout = total * 60 + 120_000

test(`${total} random steps are what the model foretells (seed ${firstSeed})`, { timeout }, () => live(total))

/** Whole lives, so that a seed of one life repeats it here as well. */
const undone = Math.ceil(total / 4 / stepsARun) * stepsARun

test(`${undone} random steps while PostgreSQL undoes transactions: each is made again, once (seed ${firstSeed})`, {
  timeout,
}, async () => {
  await live(undone, async (service) => {
    await conflictOften(service.connection)
    return async () => expect(await countConflicts(service.ctx.db)).toBeGreaterThan(0)
  })
})

/** `disturb` is told of each service before its first step, and answers what to ask after its last. */
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
  const first = await playAnew(service, steps)
  if (first.failure === null) return
  const short = await shrink(steps, async (fewer) => (await playAnew(service, fewer)).failure)
  // What failed at first is said too: a failure that depends on timing may not come back while it is cut short.
  expect.fail(`${await report(service, seed, short)}\n\nAt first: ${first.failure}\n\n${first.trace.join('\n')}`)
}

async function playAnew(service: TestService, steps: readonly Step[]) {
  const world = await newWorld(service, targetOf(service), service)
  return { failure: await play(world, steps), trace: world.trace }
}

/** What was sent, in words and bodies: enough to make a test of its own. */
async function report(service: TestService, seed: number, steps: readonly Step[]): Promise<string> {
  const { failure, trace } = await playAnew(service, steps)
  const repeat = `PROOF_SEED=${seed} PROOF_STEPS=${stepsARun} npm test -- test/proof/model.test.ts`
  const told = trace.map((line, i) => `${i + 1}. ${line}`).join('\n')
  return `${failure ?? 'it does not always fail'}\n\n${told}\n\nRepeat it: ${repeat}`
}

function targetOf({ ctx, sandbox }: TestService): Target {
  return {
    sandbox: (method, path, body, key) =>
      sandbox(method, path, body, key === undefined ? {} : { 'idempotency-key': key }),
    async withdraw({ userId, signerAddress }, tokenAddress, amount) {
      const caller: UserCaller = {
        userId,
        signerAddress,
        chainId: '1',
        signedBy: 'key' as const,
        expiresAt: addSeconds(ctx.clock.now(), 60),
      }
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
      if (key === null) throw new Error('the transfer is to nobody')
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
