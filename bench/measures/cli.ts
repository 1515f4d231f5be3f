import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildProgram } from '../../cli/build-program.ts'
import type { Row } from '../report.ts'

const runs = 20
const warmUps = 3

/** Measures the time of `purser --version`, which scripts ask for often, with the program of the package. */
export async function measureCli(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-bench-cli-'))
  try {
    await buildProgram(folder)
    const version = millisecondsOf([join(folder, 'purser.js'), '--version'])
    const runtime = millisecondsOf(['--eval', ''])
    return [
      { measure: 'cli', what: 'purser --version', figure: version, unit: 'ms', goal: { atMost: 150 } },
      { measure: 'cli', what: 'Node.js without a program', figure: runtime, unit: 'ms' },
    ]
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns the median time of a program. */
function millisecondsOf(words: readonly string[]): number {
  const times: number[] = []
  for (let run = -warmUps; run < runs; run++) {
    const startedAt = performance.now()
    const { status, stderr } = spawnSync(process.execPath, words)
    if (status !== 0) throw new Error(`${words.join(' ')} failed: ${stderr}`)
    if (run >= 0) times.push(performance.now() - startedAt)
  }
  return times.toSorted((one, other) => one - other)[runs / 2] ?? Number.NaN
}
