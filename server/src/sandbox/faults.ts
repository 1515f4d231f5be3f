import { setTimeout as delay } from 'node:timers/promises'
import { findUserOfCard } from '../cards/cards/cards.ts'
import type { CardDecision, CardMessage } from '../cards/transactions/messages.ts'
import { receiveMessage } from '../cards/transactions/receive.ts'
import { countMessages } from '../cards/transactions/transactions.ts'
import type { Ctx } from '../context.ts'
import { UpstreamError } from '../lib/errors.ts'

/** Faults of a network, which the simulator can combine. The service processes the message like any other. */
export type Fault = {
  /** Holds the message back until another message of the card has been received, for at most 20 seconds. */
  readonly reorder?: boolean
  /** Delays the message, by the wall clock. */
  readonly delay_seconds?: number
  /** The number of further copies that arrive at the same time. */
  readonly duplicate?: number
  /** Kills the process once the message is committed: no response, no clean-up. */
  readonly crash?: 'after_commit'
  /** With a crash: a new service takes the place of the killed one, as under a supervisor. */
  readonly restart?: boolean
  /** Loses the message, or its response. */
  readonly drop?: 'request' | 'answer'
}

const maxWaitMilliseconds = 20_000
const pollMilliseconds = 50

/** Sends a card message through a network with faults. */
export async function sendThrough(ctx: Ctx, message: CardMessage, fault: Fault): Promise<CardDecision> {
  if (fault.reorder) await untilAnotherMessage(ctx, message.cardId)
  await delay((fault.delay_seconds ?? 0) * 1000)
  if (fault.drop === 'request') throw networkTimeout()
  const receive = () =>
    ctx.db.transaction(async (tx) => {
      if (fault.crash) tx.afterCommit(fault.restart ? startAgain : kill)
      return receiveMessage(ctx, tx, await findUserOfCard(tx, message.cardId), message)
    })
  const copies = Array.from({ length: fault.duplicate ?? 0 }, receive)
  const [decision] = await Promise.all([receive(), ...copies])
  if (fault.drop === 'answer') throw networkTimeout()
  return decision
}

const kill = () => void process.kill(process.pid, 'SIGKILL')

/**
 * Starts the program again in this process (execve). Memory, connections and threads end at once, as in a kill: no
 * response, no clean-up. The terminal or supervisor keeps its process.
 */
function startAgain(): void {
  const { execPath, execArgv, argv, env } = process
  process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], env)
}

/** The sender cannot tell a lost request from a lost response. */
function networkTimeout(): UpstreamError {
  return new UpstreamError('the card network', 'unavailable', new Error('dropped by a simulated fault'))
}

async function untilAnotherMessage(ctx: Ctx, cardId: string): Promise<void> {
  const before = await countMessages(ctx, cardId)
  const deadline = performance.now() + maxWaitMilliseconds
  while (performance.now() < deadline && (await countMessages(ctx, cardId)) === before) await delay(pollMilliseconds)
}
