import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess } from '../proof/processes.ts'
import { newOperator, propose, signDecision, type TestOperator, twoPeople } from '../support/console.ts'
import { freePort } from '../support/free-port.ts'
import { lockWaits } from '../support/run/cluster.ts'
import { httpClient, startService, type TestService } from '../support/service.ts'
import { eure, populate } from '../support/world.ts'

/** Approvals whose process is killed between the request and its response. */
let observer: TestService
let blocker: pg.Client
let [ada, bob] = [{} as TestOperator, {} as TestOperator]
beforeAll(async () => {
  observer = await startService({ env: twoPeople, worker: false })
  blocker = new pg.Client(observer.connection)
  await blocker.connect()
  await blocker.query(pauseCommits)
  ada = await newOperator(observer, 'admin')
  bob = await newOperator(observer, 'admin')
})
afterAll(async () => {
  await blocker?.end()
  await observer?.stop()
})

async function start(port: string) {
  const { tokenIssuer, tokenAudience, servers } = observer.ctx.config
  return startProcess(observer.connection, {
    ...twoPeople,
    ...{ PORT: port, ROLES: 'api', CHAIN: 'simulated', CONSOLE_URL: servers.console },
    ...{ TOKEN_ISSUER: tokenIssuer, TOKEN_AUDIENCE: tokenAudience },
  })
}

/**
 * Makes the transaction of each decision wait in its commit, after all its writes, while another session has the lock.
 */
const pauseCommits = `
  create function pause_commit() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(4711); return null; end';
  create constraint trigger pause_commit after insert on operator_decision deferrable initially deferred
    for each row execute function pause_commit()`

/** The moments of the kill. `lock` makes the approval wait there. `executed` counts executions before the restart. */
const moments = [
  {
    moment: 'in the middle of its transaction',
    lock: (userId: string) => `select 1 from account where user_id = '${userId}' for update`,
    executed: 0,
  },
  {
    moment: 'after the database received the commit and before the response',
    lock: () => 'select pg_advisory_xact_lock(4711)',
    executed: 1,
  },
]

test.each(moments)(
  'an approval executes once if its process is killed $moment and the approval is repeated after the restart',
  {
    timeout: 240_000,
  },
  async ({ lock, executed }) => {
    const { alice } = await populate(observer, { eur: 100 })
    const { db } = observer.ctx
    const depositId = await observer.deposit(alice, eure(5), { result: 'rejected' })
    const proposal = (await propose(ada, { command: 'deposits return', subject: depositId })).body
    expect(proposal.status).toBe('open')
    const signature = await signDecision(bob.wallet, proposal.typedData)
    const approve = (url: string) =>
      httpClient(url).request('POST', `/operator/proposals/${proposal.proposalId}/approve`, {
        ...{ token: bob.token, body: { signature } },
      })
    const executions = async () => {
      const { data } = (await ada.ask('GET', `/decisions?subject=${depositId}`)).body
      const returns = await db.query('select from withdrawal where user_id = $1 and deposit_id = $2', [
        ...[alice.userId, depositId],
      ])
      return { decisions: data.length, returns: returns.length }
    }
    const waiting = async () => (await db.query(lockWaits)).length

    const port = String(await freePort())
    const first = await start(port)
    await blocker.query('begin')
    await blocker.query(lock(alice.userId))
    const interrupted = expect(approve(first.url)).rejects.toThrow()
    await expect.poll(waiting).toBe(1)
    await first.kill()
    await interrupted
    await blocker.query('commit')
    await expect.poll(waiting).toBe(0)
    await expect.poll(executions).toEqual({ decisions: executed, returns: executed })

    const second = await start(port)
    const repeated = await approve(second.url)
    expect([repeated.status, repeated.body.status]).toEqual([200, 'executed'])
    expect((await approve(second.url)).body).toEqual(repeated.body)
    expect(await executions()).toEqual({ decisions: 1, returns: 1 })
    const [decision] = (await ada.ask('GET', `/decisions?subject=${depositId}`)).body.data
    expect(repeated.body.decisionId).toBe(decision.decisionId)
    await second.kill('SIGTERM')
    await alice.assertBooks()
  },
)
