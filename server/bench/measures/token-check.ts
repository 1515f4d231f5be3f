import { systemClock } from '../../src/lib/clock.ts'
import { verifyToken } from '../../src/tokens/tokens.ts'
import type { Ground } from '../ground.ts'
import { loadHttp } from '../load.ts'
import type { Row } from '../report.ts'
import { interleave } from '../rounds.ts'

const checks = 200_000

/** A token seen before: what its check costs, and its share of the cheapest request that needs one. */
export async function measureTokenCheck(ground: Ground): Promise<Row[]> {
  const { db, config, service, settings, tokens } = ground
  const keyHolder = { db, config, clock: systemClock }
  const microsecondsEach = async () => {
    const before = process.cpuUsage()
    for (let i = 0; i < checks; i++) await verifyToken(keyHolder, tokens[i % tokens.length] ?? '')
    const { user, system } = process.cpuUsage(before)
    return (user + system) / checks
  }
  await microsecondsEach()
  const runs = [await microsecondsEach(), await microsecondsEach(), await microsecondsEach()]
  const check = Math.min(...runs)

  const { balances } = await interleave(
    {
      balances: {
        run: () => loadHttp(`${service.url}/user/balances/v2`, tokens, settings.seconds),
        cpu: ground.clocks(service),
      },
    },
    1,
  )
  const measure = 'token check'
  return [
    { measure, what: 'on a hit of the cache', figure: check, unit: 'µs', goal: { atMost: 2 } },
    {
      measure,
      what: "share of the server's CPU of a balances request",
      figure: (check / balances.microseconds.server) * 100,
      unit: '%',
      goal: { atMost: 2 },
    },
  ]
}
