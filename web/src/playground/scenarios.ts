import type { Scenario as File } from '../../../cli/src/scenarios/scenario.ts'
import { firstScenario, type Scenario } from './scenario.ts'

const files = import.meta.glob<{ default: File }>('../../../cli/scenarios/*.json', { eager: true })

export const scenarios: readonly Scenario[] = Object.entries(files)
  .map(([path, file]) => ({ ...file.default, id: path.replace(/^.*\/|\.json$/g, '') }))
  .sort(
    (a, b) => Number(b.id === firstScenario.id) - Number(a.id === firstScenario.id) || a.title.localeCompare(b.title),
  )
