import type { Work } from './load.ts'

/** One side of a comparison: its load, and the CPU clocks that are read before and after it. */
export type Contender<Clock extends string> = {
  readonly run: () => Promise<Work>
  readonly cpu: Readonly<Record<Clock, () => number>>
}

export type Cost<Clock extends string> = {
  readonly requestsPerSecond: number
  /** CPU time for each request, by clock. */
  readonly microseconds: Readonly<Record<Clock, number>>
}

/**
 * Rounds that are not counted. V8 compiles for about ten seconds of load: a balances request took 95 µs in the first
 * second, 45 in the fourth and 33 from the seventh on.
 */
const warmupRounds = 4

/** Loads the contenders in turn, round by round, so that other work on the machine affects all of them alike. */
export async function interleave<Name extends string, Clock extends string>(
  contenders: Readonly<Record<Name, Contender<Clock>>>,
  rounds: number,
): Promise<Record<Name, Cost<Clock>>> {
  const names = Object.keys(contenders) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as Sample<Clock>[]])) as Record<
    Name,
    Sample<Clock>[]
  >
  for (let round = 1 - warmupRounds; round <= rounds; round++) {
    for (const name of names) {
      const sample = await measure(contenders[name])
      if (round > 0) measured[name].push(sample)
    }
  }
  return Object.fromEntries(names.map((name) => [name, costOf(measured[name])])) as Record<Name, Cost<Clock>>
}

type Sample<Clock extends string> = Work & { readonly cpuSeconds: Readonly<Record<Clock, number>> }

async function measure<Clock extends string>({ run, cpu }: Contender<Clock>): Promise<Sample<Clock>> {
  const clocks = Object.keys(cpu) as Clock[]
  const before = clocks.map((clock) => cpu[clock]())
  const work = await run()
  const used = clocks.map((clock, i) => [clock, cpu[clock]() - (before[i] ?? 0)])
  return { ...work, cpuSeconds: Object.fromEntries(used) as Record<Clock, number> }
}

/** Returns the medians of the rounds: other work of a host lasts a few seconds and affects single rounds. */
function costOf<Clock extends string>(samples: readonly Sample<Clock>[]): Cost<Clock> {
  const clocks = Object.keys(samples[0]?.cpuSeconds ?? {}) as Clock[]
  const middle = (figure: (sample: Sample<Clock>) => number) => median(samples.map(figure))
  const microseconds = clocks.map((clock) => [
    clock,
    middle(({ cpuSeconds, requests }) => (cpuSeconds[clock] / requests) * 1e6),
  ])
  return {
    requestsPerSecond: middle(({ requests, seconds }) => requests / seconds),
    microseconds: Object.fromEntries(microseconds),
  }
}

export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

/** Returns a quantile: the figure below which the given share of the figures lies. */
export function quantile(figures: readonly number[], share: number): number {
  return figures.toSorted((one, other) => one - other)[Math.floor(share * figures.length)] ?? Number.NaN
}
