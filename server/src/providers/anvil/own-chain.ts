import { openSync } from 'node:fs'
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type AnvilProcess, findAnvil, respondsAsAnvil, startAnvilProcess } from './process.ts'

/**
 * Runs the sandbox's own chain in DATA_DIR/chain. Anvil saves its state when it exits and every 30 seconds. If Purser
 * was killed and its chain still runs, the next start takes over the running chain.
 */
const stopWithinMilliseconds = 20_000
const pollMilliseconds = 20

/** With one slot per epoch, a block is final after two blocks instead of 64. */
const args = (chainDir: string, chainId: number) => [
  ...['--chain-id', String(chainId), '--slots-in-an-epoch', '1'],
  ...['--state', join(chainDir, 'state.json'), '--state-interval', '30'],
  ...['--cache-path', oldStatesOf(chainDir)],
]

export async function startOwnChain(requestedDataDir: string, chainId: number): Promise<AnvilProcess> {
  const folder = join(requestedDataDir, 'chain')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const chainDir = await realpath(folder)
  const pidFile = join(chainDir, 'anvil.pid')
  const wanted = args(chainDir, chainId)
  const leftover = await findLeftover(pidFile, chainDir)
  if (leftover?.args.slice(-wanted.length).join(' ') === wanted.join(' ') && (await respondsAsAnvil(leftover.url))) {
    return adopted(leftover)
  }
  if (leftover) await adopted(leftover).stop()
  const port = Number(new URL(leftover?.url ?? (await lastUrl(pidFile)) ?? 'http://127.0.0.1:8545').port)
  await rm(oldStatesOf(chainDir), { recursive: true, force: true })
  const stderr = openSync(join(chainDir, 'anvil.log'), 'w')
  const chain = await startAnvilProcess(wanted, { port, stderr })
  await writeFile(pidFile, `${chain.pid}\n${chain.url}\n`)
  return chain
}

/** Returns the folder for the states of old blocks. Anvil never reads the files of an earlier process. */
function oldStatesOf(chainDir: string): string {
  return join(chainDir, 'old-states')
}

/** Returns the URL of a data folder's running chain, or null. For tools beside a running service. */
export async function findOwnChain(dataDir: string): Promise<string | null> {
  const chainDir = await realpath(join(dataDir, 'chain')).catch(() => null)
  const running = chainDir && (await findLeftover(join(chainDir, 'anvil.pid'), chainDir).catch(() => null))
  return running ? running.url : null
}

type Leftover = { readonly pid: number; readonly url: string; readonly args: readonly string[] }

async function findLeftover(pidFile: string, chainDir: string): Promise<Leftover | null> {
  const [pid = '', url = ''] = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n')
  const command = await commandOf(Number(pid))
  const isOurs = command[0] === findAnvil() && command.some((argument) => argument.startsWith(chainDir))
  return isOurs ? { pid: Number(pid), url, args: command } : null
}

async function lastUrl(pidFile: string): Promise<string | null> {
  const [, url = ''] = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n')
  return URL.canParse(url) ? url : null
}

/** Returns the command line of a process; empty when it does not exist. */
async function commandOf(pid: number): Promise<string[]> {
  if (!Number.isInteger(pid) || pid <= 1) return []
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').filter(Boolean)
}

/** Wraps a chain that is not a child process. Polling detects its end. */
function adopted({ pid, url }: Leftover): AnvilProcess {
  const isGone = async () => (await commandOf(pid)).length === 0
  const watch = new AbortController()
  const ended = (async () => {
    while (!watch.signal.aborted && !(await isGone())) {
      await delay(1000, undefined, { signal: watch.signal, ref: false }).catch(() => {})
    }
  })()
  return {
    url,
    pid,
    ended,
    async stop() {
      watch.abort()
      if (await isGone()) return
      process.kill(pid, 'SIGTERM')
      for (const until = Date.now() + stopWithinMilliseconds; Date.now() < until; await delay(pollMilliseconds)) {
        if (await isGone()) return
      }
      throw new Error(`the chain of an earlier Purser (process ${pid}) does not stop; end that process`)
    },
  }
}
