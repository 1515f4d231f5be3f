// Runs SQL as psql does, for tests of documented commands: psql url [-c sql], or the SQL from standard input.
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import pg from 'pg'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { command: { type: 'string', short: 'c' } },
})
const [connectionString] = positionals
const client = new pg.Client({ connectionString })
await client.connect()
try {
  const results = await client.query(values.command ?? (await text(process.stdin)))
  for (const { command, rowCount } of [results].flat()) {
    process.stdout.write(rowCount === null ? `${command}\n` : `${command} ${rowCount}\n`)
  }
} finally {
  await client.end()
}
