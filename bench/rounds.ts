import type { Work } from './load.ts'

/** One side of a comparison: how to load it, and the CPU clocks to read before and after. */
export type Contender<Clock extends string> = {
  readonly run: () => Promise<Work>
  readonly cpu: Readonly<Record<Clock, () => number>>
}

export type Cost<Clock extends string> = {
  readonly requestsPerSecond: number
  /** CPU a request, by clock */
  readonly microseconds: Readonly<Record<Clock, number>>
}

/**
 * Not counted. V8 goes on compiling for some ten seconds of load: a read of the balances took 95 µs in the first of them,
 * 45 in the fourth and 33 from the seventh on, what a service is that has run for a minute.
 */
const warmingRounds = 4

/**
 * Loads the contenders in turn, round by round, so that what else the machine does meets all of them alike, once compilers
 * and caches are warm.
 */
export async function interleave<Name extends string, Clock extends string>(
  contenders: Readonly<Record<Name, Contender<Clock>>>,
  rounds: number,
): Promise<Record<Name, Cost<Clock>>> {
  const names = Object.keys(contenders) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as Sample<Clock>[]])) as Record<
    Name,
    Sample<Clock>[]
  >
  for (let round = 1 - warmingRounds; round <= rounds; round++) {
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

/** The middle one of the rounds: what else a host does, it does for a few seconds, and it adds most to whoever uses most memory. */
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

/** The figure below which that share of them lies. */
export function quantile(figures: readonly number[], share: number): number {
  return figures.toSorted((one, other) => one - other)[Math.floor(share * figures.length)] ?? Number.NaN
}
