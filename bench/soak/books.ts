import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Row } from '../report.ts'
import { readBalances, type Scene } from './actions.ts'
import { readQueues } from './samples.ts'
import { cent, euroOf, type SoakUser, signIn } from './users.ts'

/** Checks the end of a soak: empty queues, clean books, the balances of the model, and complete webhooks. */
const measure = 'end'
const drainWithinSeconds = 300
const reconcileScript = fileURLToPath(new URL('../../server/src/commands/reconcile.ts', import.meta.url))

export async function checkEnd(scene: Scene, users: readonly SoakUser[]): Promise<Row[]> {
  const { ground } = scene
  ground.receiver.recover()
  const left = await drain(scene)
  const errors = await ground.loggedErrors()
  for (const line of errors.slice(0, 20)) process.stderr.write(`${line}\n`)
  const none = (what: string, figure: number): Row => ({ measure, what, figure, unit: '', goal: { atMost: 0 } })
  return [
    none('due work left in queues', left),
    none('exit code of reconcile', await reconcile(scene)),
    none('users whose balances differ from the model', await countWrongUsers(scene, users)),
    none('open payouts and wrong payouts on the chain', await countWrongPayouts(scene, users)),
    none('webhook events that did not arrive', await countMissingEvents(scene)),
    none('gaps in the sequences of events', countGaps(scene)),
    none('webhooks with an invalid signature', ground.receiver.counts.invalid),
    none('error lines in the logs, without timeouts', errors.length),
  ]
}

/** Waits until no queue has work. Returns the work that is left. */
async function drain({ ground }: Scene): Promise<number> {
  let left = Number.NaN
  for (const until = Date.now() + drainWithinSeconds * 1000; Date.now() < until; await delay(500)) {
    const queues = await readQueues(ground.database.client)
    left = Object.values(queues).reduce((sum, count) => sum + count, 0)
    if (left === 0) break
  }
  return left
}

async function reconcile({ ground }: Scene): Promise<number> {
  const child = spawn(process.execPath, [reconcileScript], { env: ground.env, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'exit')
  return code ?? -1
}

async function countWrongUsers(scene: Scene, users: readonly SoakUser[]): Promise<number> {
  const { rows } = await scene.ground.database.client.query(
    `select user_id, sum(held)::text as held, sum(debt)::text as debt, sum(deposit_processing + withdrawal_processing)::text as open
     from ledger_balance group by user_id`,
  )
  const ledger = new Map(rows.map(({ user_id, ...amounts }) => [user_id, amounts]))
  let wrong = 0
  for (const user of users) {
    const before = scene.requests.tally.unexpectedCount
    user.token = await signIn(scene.requests, user.wallet)
    await readBalances(scene, user)
    const held = user.holds.reduce((sum, { cents }) => sum + cents, 0n) * cent
    const found = ledger.get(user.userId)
    const isRight = found?.held === String(held) && found.debt === '0' && found.open === '0' && user.incoming === 0n
    if (!isRight) scene.requests.reportUnexpected(`ledger of ${user.userId}: ${JSON.stringify(found)}, held ${held}`)
    if (scene.requests.tally.unexpectedCount > before) wrong++
  }
  return wrong
}

/** Counts the open payouts, and the wallets that do not hold exactly the sum of their withdrawals. */
async function countWrongPayouts({ ground, requests }: Scene, users: readonly SoakUser[]): Promise<number> {
  const { rows } = await ground.database.client.query(
    `select count(*)::int as open from withdrawal where status <> 'completed'`,
  )
  let wrong = Number(rows[0].open)
  for (const { userId, wallet, withdrawn } of users) {
    const paid = await ground.chain.balanceOf(euroOf(ground.config), wallet.address)
    if (paid === withdrawn * cent) continue
    wrong++
    requests.reportUnexpected(`the wallet of ${userId} holds ${paid} instead of ${withdrawn * cent} token units`)
  }
  return wrong
}

/** Compares the event log of each partner with the deliveries that it accepted. */
async function countMissingEvents({ ground, requests, partners }: Scene): Promise<number> {
  let missing = 0
  for (const [number, { token }] of partners.entries()) {
    const accepted = ground.receiver.accepted[number]
    for (let after = ''; ; ) {
      const path = `/partner/events?limit=500${after === '' ? '' : `&after=${after}`}`
      const { body } = await requests.send({ name: 'event log', path, token })
      const events: readonly { id: string }[] = Object(body['data'])
      if (events.length === 0) break
      missing += events.filter(({ id }) => !accepted?.has(id)).length
      after = events.at(-1)?.id ?? ''
    }
  }
  return missing
}

function countGaps({ ground }: Scene): number {
  let gaps = 0
  for (const seen of ground.receiver.sequences.values()) {
    const last = [...seen].reduce((one, other) => Math.max(one, other), 0)
    gaps += last - seen.size
  }
  return gaps
}
