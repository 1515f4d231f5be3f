import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Statement } from './statements.ts'

/** The amount of work done, and the time it took. */
export type Work = { readonly requests: number; readonly seconds: number }

/** The size of the service's pool, so that neither side of a comparison waits for the other's limit. */
export const connections = 8

/**
 * A busy service. Concurrent requests share a turn of the event loop, a write to PostgreSQL and a context switch, so
 * each of them costs less.
 */
export const manyConnections = 64

export type Connection = { host: string; port: number; user: string; database: string }

const tokensScript = fileURLToPath(new URL('load.lua', import.meta.url))

/** Requests one URL with each of the tokens in turn. Any status other than 200 ends the benchmark. */
export async function loadHttp(
  url: string,
  tokens: readonly string[],
  seconds: number,
  clients = connections,
): Promise<Work> {
  return withFolder(async (folder) => {
    const file = join(folder, 'tokens')
    await writeFile(file, tokens.join('\n'))
    return runWrk(['-t1', `-c${clients}`, `-d${seconds}s`, '--timeout', '10s', '-s', tokensScript, url, '--', file])
  })
}

async function runWrk(args: readonly string[]): Promise<Work> {
  const printed = await output('wrk', args)
  const [requests, microseconds, errors] = printed.trim().split('\n').at(-1)?.split(' ').map(Number) ?? []
  if (!requests || !microseconds || errors !== 0)
    throw new Error(`${errors} of ${requests} responses were errors: ${printed}`)
  return { requests, seconds: microseconds / 1e6 }
}

/** Runs the prepared statements in random order over as many connections as the service's pool has. */
export async function loadPostgres(
  connection: Connection,
  statements: readonly Statement[],
  seconds: number,
): Promise<Work> {
  return withFolder(async (folder) => {
    const scripts: string[] = []
    const variables: string[] = []
    for (const [i, { text, values }] of statements.entries()) {
      const script = join(folder, `${i}.sql`)
      await writeFile(
        script,
        // pgbench 15 needs a semicolon after the last statement.
        `${text.replace(/\$(\d+)/g, (_, position) => `:v${i}_${position}`)};\n`,
      )
      scripts.push('-f', script)
      for (const [position, value] of values.entries()) variables.push('-D', `v${i}_${position + 1}=${value}`)
    }
    return runPgbench(connection, [...variables, ...scripts], connections, seconds)
  })
}

/** A script in the language of pgbench. */
export type Script = { readonly text: string; readonly variables: ReadonlyMap<string, string> }

export async function loadScript(
  connection: Connection,
  script: Script,
  seconds: number,
  clients = connections,
): Promise<Work> {
  return withFolder(async (folder) => runPgbench(connection, await argumentsOf(folder, script), clients, seconds))
}

/** Starts transactions at a steady rate. Returns the milliseconds from the due time to the end of each. */
export async function runScriptSteadily(
  connection: Connection,
  script: Script,
  seconds: number,
  perSecond: number,
): Promise<number[]> {
  return withFolder(async (folder) => {
    const steadily = ['--rate', String(perSecond), '--log', `--log-prefix=${folder}/times`]
    const args = [...(await argumentsOf(folder, script)), ...steadily]
    await runPgbench(connection, args, connections, seconds)
    const [log = ''] = (await readdir(folder)).filter((name) => name.startsWith('times'))
    const lines = (await readFile(join(folder, log), 'utf8')).trimEnd().split('\n')
    // The fields are client, number, microseconds, …
    return lines.map((line) => Number(line.split(' ')[2]) / 1000)
  })
}

async function argumentsOf(folder: string, { text, variables }: Script): Promise<string[]> {
  const file = join(folder, 'script.sql')
  await writeFile(file, text)
  const defined = [...variables].flatMap(([name, value]) => ['-D', `${name}=${value}`])
  return [...defined, '-f', file]
}

async function runPgbench(
  { host, port, user, database }: Connection,
  args: readonly string[],
  clients: number,
  seconds: number,
): Promise<Work> {
  const printed = await output('pgbench', [
    ...['-h', host, '-p', String(port), '-U', user, '-n', '-M', 'prepared'],
    ...['-c', String(clients), '-j', '1', '-T', String(seconds)],
    ...args,
    database,
  ])
  const [, requests] = /transactions actually processed: (\d+)/.exec(printed) ?? []
  const [, perSecond] = /tps = ([\d.]+)/.exec(printed) ?? []
  if (!requests || !perSecond) throw new Error(`pgbench: ${printed}`)
  return { requests: Number(requests), seconds: Number(requests) / Number(perSecond) }
}

const signedScript = fileURLToPath(new URL('authorizations.lua', import.meta.url))

/** Posts each signed body once. Any status other than 200 ends the benchmark. */
export async function loadSigned(
  url: string,
  signed: readonly { timestamp: string; signature: string; body: string }[],
  seconds: number,
  clients = connections,
): Promise<Work> {
  return withFolder(async (folder) => {
    const file = join(folder, 'requests')
    const lines = signed.map(({ timestamp, signature, body }) => `${timestamp} ${signature} ${body}`)
    await writeFile(file, lines.join('\n'))
    return runWrk(['-t1', `-c${clients}`, `-d${seconds}s`, '--timeout', '10s', '-s', signedScript, url, '--', file])
  })
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-load-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  let complaint = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const [status] = await once(child, 'close')
  if (status !== 0) throw new Error(`${command} failed: ${complaint || printed}`)
  return printed
}
