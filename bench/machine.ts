import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus, setPriority } from 'node:os'

/** Linux counts CPU time in ticks of 10 ms, so a figure needs seconds of load. */
const ticksPerSecond = 100

type Ticks = {
  readonly parent: number
  readonly user: number
  readonly system: number
  readonly own: number
  readonly ofEndedChildren: number
}

function readTicks(pid: number): Ticks | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name is in parentheses and may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const field = (number: number) => Number(fields[number - 3])
    const [user, system] = [field(14), field(15)]
    return { parent: field(4), user, system, own: user + system, ofEndedChildren: field(16) + field(17) }
  } catch {
    return null
  }
}

/** Returns the user and system time of all threads of one process. */
export function cpuSeconds(pid: number): number {
  return (readTicks(pid)?.own ?? 0) / ticksPerSecond
}

/** Returns the user time and the system time of one process. */
export function splitCpuSeconds(pid: number): { readonly user: number; readonly system: number } {
  const ticks = readTicks(pid)
  return { user: (ticks?.user ?? 0) / ticksPerSecond, system: (ticks?.system ?? 0) / ticksPerSecond }
}

/** Returns the time of this process's ended children: the load generators. */
export function endedChildrenCpuSeconds(): number {
  return (readTicks(process.pid)?.ofEndedChildren ?? 0) / ticksPerSecond
}

/** Returns the time of a process and its children, including ended ones: PostgreSQL has one for each connection. */
export function familyCpuSeconds(pid: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const family = pids.map((name) => [Number(name), readTicks(Number(name))] as const)
  let ticks = 0
  for (const [member, read] of family) {
    if (read && (member === pid || read.parent === pid)) ticks += read.own + read.ofEndedChildren
  }
  return ticks / ticksPerSecond
}

/** Gives a process a priority from -20, the highest, to 19. Without root, it keeps its own. */
export function prioritize(pid: number, priority: number): void {
  try {
    setPriority(pid, priority)
  } catch {
    process.stderr.write('All processes have the same priority, because only root can raise one.\n')
  }
}

export function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** Returns the result of `work`, and the highest memory of a process meanwhile. */
export async function maxMegabytesDuring<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<[result: T, megabytes: number]> {
  let max = residentMegabytes(pid)
  const sampling = setInterval(() => {
    max = Math.max(max, residentMegabytes(pid))
  }, 50)
  try {
    const result = await work()
    return [result, max]
  } finally {
    clearInterval(sampling)
  }
}

export class MissingTools extends Error {}

/** Requires wrk and pgbench, which use less of the machine than a load generator in JavaScript. */
export function requireTools(): void {
  const packages = { wrk: 'wrk', pgbench: 'postgresql-contrib' }
  const missing = Object.entries(packages).filter(([tool]) => spawnSync(tool, ['--version']).error !== undefined)
  if (missing.length === 0) return
  const names = missing.map(([tool]) => tool).join(' and ')
  throw new MissingTools(
    `The benchmark needs ${names}. On Debian: apt-get install ${missing.map(([, name]) => name).join(' ')}`,
  )
}

export function describeMachine(): string {
  const [cpu] = cpus()
  return `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), Node ${process.version}`
}
