import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '../console/text.ts'
import { useLanguage } from '../lib/language.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { ErrorNote } from '../ui/states.tsx'
import { useUiText } from '../ui/text.ts'
import { type Cardholder, createCardholder } from './people.ts'
import { runScenario, type StepResult } from './run-scenario.ts'
import type { Sandbox } from './sandbox.ts'
import { type Scenario, type Step, scenarios } from './scenario.ts'

type Props = {
  readonly sandbox: Sandbox
  /** Called as soon as the scenario has its card, and after each of its steps. */
  readonly onProgress: (holder: Cardholder) => void
}

export function ScenarioList({ sandbox, onProgress }: Props) {
  const t = useText().playground
  const [isDuplicated, setDuplicated] = useState(false)
  return (
    <div className="grid gap-4">
      <Checkbox
        label={t.duplicated}
        hint={t.duplicatedHint}
        checked={isDuplicated}
        onChange={(event) => setDuplicated(event.currentTarget.checked)}
      />
      <ul className="grid divide-y divide-line">
        {scenarios.map((scenario) => (
          <ScenarioRow
            key={scenario.id}
            scenario={scenario}
            sandbox={sandbox}
            isDuplicated={isDuplicated}
            onProgress={onProgress}
          />
        ))}
      </ul>
    </div>
  )
}

type RowProps = Props & { readonly scenario: Scenario; readonly isDuplicated: boolean }

/** Runs a scenario for a new cardholder, or for the one that is given. */
export function useScenario({
  sandbox,
  scenario,
  isDuplicated,
  onProgress,
  holder,
}: RowProps & { holder?: Cardholder | null }) {
  const queries = useQueryClient()
  const [results, setResults] = useState<readonly StepResult[]>([])
  const run = useMutation({
    async mutationFn() {
      setResults([])
      const cardholder = holder ?? (await createCardholder(sandbox, scenario.start))
      await queries.invalidateQueries()
      onProgress(cardholder)
      return runScenario(sandbox, cardholder, scenario, {
        isDuplicated,
        onStep(result) {
          setResults((earlier) => [...earlier, result])
          onProgress(cardholder)
        },
      })
    },
    onSettled: () => queries.invalidateQueries(),
  })
  return { run, results }
}

function ScenarioRow(props: RowProps) {
  const { scenario } = props
  const t = useText().playground
  const { language } = useLanguage()
  const { run, results } = useScenario(props)
  const isOpen = run.isPending || run.data !== undefined || run.error !== null
  return (
    <li className="grid gap-3 py-4">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <h3 className="font-medium">{scenario.title[language]}</h3>
          <p className="mt-0.5 text-sm text-soft">{scenario.about[language]}</p>
        </div>
        <Button
          look="secondary"
          size="sm"
          isPending={run.isPending}
          onClick={() => run.mutate()}
          aria-label={`${t.play}: ${scenario.title[language]}`}
        >
          {t.play}
        </Button>
      </div>
      {isOpen && <ScenarioSteps scenario={scenario} results={results} />}
      {run.data !== undefined && (
        <p role="status" className="flex flex-wrap items-center gap-2 text-sm">
          <Badge tone={run.data.isExpected ? 'good' : 'bad'}>{run.data.isExpected ? t.passed : t.failed}</Badge>
          <span className="text-soft wrap-anywhere">
            {run.data.isExpected ? t.passedText : run.data.differences.join(' · ')}
          </span>
        </p>
      )}
      {run.error !== null && <ErrorNote error={run.error} onRetry={() => run.mutate()} />}
    </li>
  )
}

export function ScenarioSteps({ scenario, results }: { scenario: Scenario; results: readonly StepResult[] }) {
  const t = useText().playground
  const describe = useStepText(scenario)
  return (
    <ol className="grid gap-1 text-sm">
      {scenario.steps.map((step, index) => {
        const result = results[index]
        return (
          <li key={index} className="flex items-center justify-between gap-4 rounded-md bg-sunken px-3 py-1.5">
            <span>{describe(step)}</span>
            {result === undefined ? (
              <span className="text-soft">{t.waiting}</span>
            ) : (
              <span className={result.isExpected ? 'text-good' : 'text-bad'}>{shortTime(result.text)}</span>
            )}
          </li>
        )
      })}
    </ol>
  )
}

const shortTime = (text: string) => (/^\d{4}-/.test(text) ? text.slice(0, 10) : text)

function useStepText({ start }: Scenario): (step: Step) => string {
  const t = useText().playground
  const ui = useUiText()
  return (step) => {
    if ('send' in step) {
      const { transaction_type: type, amount, replacement_amount: replacement } = step.send
      const sum = amount ?? replacement
      return sum === undefined ? ui.words.messages[type] : `${ui.words.messages[type]} ${sum} ${start.currency}`
    }
    if ('deposit' in step) return t.steps.deposit(`${step.deposit.amount} ${start.currency}`)
    if ('clock' in step) return t.steps.clock(Math.round(step.clock.advanceSeconds / 86_400))
    return t.steps.card[step.card]
  }
}
