import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect } from 'vitest'
import { snippetsOf } from '../support/snippets.ts'
import { type Books, checkBooks } from './books.ts'
import { newCluster, postgresShell, type Shell, stopCluster } from './cluster.ts'
import { type Ground, startGround } from './ground.ts'
import { type Load, type Message, startLoad } from './load.ts'
import { drill, say } from './needs.ts'
import { report, seconds, untilDecision } from './report.ts'

/** Wrong SQL destroys a table under load. The database is restored to the moment before it. */
const guide = 'docs/backups.md'
const programs = ['/usr/lib/postgresql/15/bin/pg_basebackup', '/usr/bin/pgbackrest'] as const

drill(
  'a restore to the moment before a mistake loses no earlier write and pays nothing twice',
  { programs },
  async () => {
    const ground = await startGround()
    try {
      const shell = await backupShell(ground)
      const cluster = await newCluster(shell, join(ground.folder, 'primary'), codeBlock(2))
      ground.onStop(() => stopCluster(shell, cluster))
      const { connection, data: PGDATA } = cluster
      await configure(ground, cluster.data, connection.port)
      const service = await ground.start(connection)
      const PORT = new URL(service.url).port
      const load = await startLoad(ground, service.url, () => [{ url: service.url }])

      for (const line of ['stanza-create', 'check']) await shell.guided(guide, `pgbackrest --stanza=purser ${line}`)
      await shell.guided(guide, 'pgbackrest --stanza=purser --type=full backup')
      say('backed up')
      await load.more(200)
      const moment = await timeOf(connection)
      await load.more(200)
      // Some withdrawals after the moment are paid, which the restored books do not know.
      await untilPaid(ground, load, moment)

      say('dropping a table')
      const destroyedAt = performance.now()
      await query(connection, 'drop table ledger_balance cascade')
      // A person notices, and chooses the moment.
      await delay(2000)
      await service.kill('SIGTERM')
      const stoppedAt = performance.now()
      say('restoring')
      const MOMENT = moment.toISOString().replace('T', ' ').replace('Z', '+00')
      await shell.guided(guide, 'pg_ctl -D "$PGDATA" -m fast -w stop', { PGDATA })
      const restore =
        'pgbackrest --stanza=purser --delta --type=time "--target=$MOMENT" --target-action=promote restore'
      await shell.guided(guide, restore, { MOMENT })
      await shell.guided(guide, 'pg_ctl -D "$PGDATA" -l "$PGDATA/../log" -w -t 600 start', { PGDATA })
      await untilWritable(connection)
      const judged = await ground.command('backup', connection, 'check')
      expect(judged.code, judged.output).toBe(0)
      await ground.start(connection, { PORT })
      say('the service runs again')
      const later = await resendLater(load, moment)
      await load.more(50)
      await load.stop()
      const { missing, recovered } = await recoverPayouts(ground, load, connection, moment)
      const books: Books = await checkBooks(ground, load, { connection, mayMiss: missing })
      expect(shell.linesNotRun(guide)).toEqual([])
      await report('point-in-time-restore', {
        load,
        books,
        figures: {
          'From the mistake to the next card decision': seconds(untilDecision(load.seen, destroyedAt)),
          'Of this, from the stop of the service': seconds(untilDecision(load.seen, stoppedAt)),
          'Card messages after the moment, sent again by the processor': String(later),
          'Withdrawals after the moment, found on the chain': String(recovered),
          'Withdrawals after the moment, not paid and to be requested again': String(missing.size),
        },
      })
    } finally {
      await ground.stop()
    }
  },
)

/** Returns a code block of the guide by its number. The first block has the number 1. */
function codeBlock(number: number): string {
  const block = snippetsOf(guide)[number - 1]
  if (block === undefined) throw new Error(`${guide} has no code block ${number}`)
  return block.code
}

async function backupShell({ folder }: Ground): Promise<Shell> {
  const names = ['log', 'lock', 'spool', 'repository']
  const at = (name: string) => join(folder, 'pgbackrest', name)
  const shell = await postgresShell(folder, {
    PGBACKREST_CONFIG: join(folder, 'pgbackrest.conf'),
    PGBACKREST_LOG_PATH: at('log'),
    PGBACKREST_LOCK_PATH: at('lock'),
    PGBACKREST_SPOOL_PATH: at('spool'),
  })
  await shell.newFolder(join(folder, 'pgbackrest'))
  for (const name of names) await shell.newFolder(at(name))
  return shell
}

/** Writes the configuration of the guide, with the folders and the port of this drill. */
async function configure({ folder }: Ground, data: string, port: number): Promise<void> {
  const settings = `pg1-port=${port}\npg1-user=purser\npg1-database=purser\npg1-socket-path=${join(data, '..')}\n`
  const config = codeBlock(1)
    .replace('/var/lib/pgbackrest', join(folder, 'pgbackrest/repository'))
    .replace('/var/lib/postgresql/15/main', data)
  await writeFile(join(folder, 'pgbackrest.conf'), `${config}${settings}`)
}

async function query(connection: pg.ClientConfig, sql: string): Promise<any[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const timeOf = async (connection: pg.ClientConfig): Promise<Date> =>
  (await query(connection, 'select now() as now'))[0].now

async function untilWritable(connection: pg.ClientConfig): Promise<void> {
  const isWritable = async () => (await query(connection, 'select pg_is_in_recovery() as waits'))[0].waits === false
  await expect.poll(() => isWritable().catch(() => false)).toBe(true)
}

/** Waits until a withdrawal that was requested after the moment is paid on the chain. */
async function untilPaid(ground: Ground, load: Load, moment: Date): Promise<void> {
  await expect.poll(async () => (await paidSince(ground, load, moment)).size).toBeGreaterThan(0)
}

/** Returns the ids of the withdrawals after the moment that the chain has paid. */
async function paidSince({ chain }: Ground, load: Load, moment: Date): Promise<Set<string>> {
  const transfers = await chain.transfers()
  const paid = load.people.flatMap(({ wallet, withdrawals }) =>
    withdrawals.filter(
      ({ at, units }) =>
        at > moment.getTime() && transfers.some((each) => each.to === wallet.address && each.units === units),
    ),
  )
  return new Set(paid.map(({ id }) => id))
}

/** Sends the messages since the moment again, as the card processor does. Returns their number. */
async function resendLater(load: Load, moment: Date): Promise<number> {
  const until = Date.now()
  const isLater = ({ at }: Message) => at > moment.getTime() && at < until
  let count = 0
  for (const person of load.people) {
    for (const [i, message] of person.messages.entries()) {
      if (!isLater(message)) continue
      const { text, body } = await load.resend(message)
      const wanted = JSON.parse(message.text)
      expect([body['outcome'], body['authorizationCode']], text).toEqual([wanted.outcome, wanted.authorizationCode])
      person.messages[i] = { ...message, text }
      count++
    }
  }
  return count
}

/** Waits until the payouts since the moment are in the books. Returns the later withdrawals that no longer exist. */
async function recoverPayouts(ground: Ground, load: Load, connection: pg.ClientConfig, moment: Date) {
  const known = async () => {
    const rows = await query(connection, 'select withdrawal_id as id from withdrawal')
    return new Set<string>(rows.map(({ id }) => id))
  }
  const paid = await paidSince(ground, load, moment)
  const isFound = async () => {
    const inBooks = await known()
    return [...paid].every((id) => inBooks.has(id))
  }
  await expect.poll(isFound).toBe(true)
  const inBooks = await known()
  const later = load.people.flatMap(({ withdrawals }) => withdrawals.filter(({ at }) => at > moment.getTime()))
  const missing = new Set(later.map(({ id }) => id).filter((id) => !inBooks.has(id)))
  return { missing, recovered: paid.size }
}
