import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '../console/text.ts'
import { useUiText } from '../ui/text.ts'
import { type Cardholder, createCardholder } from './people.ts'
import type { StepResult } from './run-scenario.ts'
import { peopleKey, refreshPayments, type Sandbox } from './sandbox.ts'
import type { Scenario, Step } from './scenario.ts'

export type RunProps = {
  readonly sandbox: Sandbox
  readonly scenario: Scenario
  readonly isNoisy: boolean
  /** Called as soon as the scenario has its card, and after each of its steps. */
  readonly onProgress: (holder: Cardholder) => void
}

/** Runs a scenario for a new cardholder, or for the one that is given. */
export function useScenario({
  sandbox,
  scenario,
  isNoisy,
  onProgress,
  holder,
}: RunProps & { holder?: Cardholder | null }) {
  const queries = useQueryClient()
  const [results, setResults] = useState<ReadonlyMap<Step, StepResult>>(new Map())
  const run = useMutation({
    async mutationFn() {
      setResults(new Map())
      const cardholder = holder ?? (await createCardholder(sandbox, { currency: 'EUR', deposit: scenario.balance }))
      if (cardholder !== holder) await queries.invalidateQueries({ queryKey: [peopleKey] })
      onProgress(cardholder)
      const { runScenario } = await import('./run-scenario.ts')
      return runScenario(sandbox, cardholder, scenario, {
        isNoisy,
        onStep(step, result) {
          setResults((earlier) => new Map(earlier).set(step, result))
          onProgress(cardholder)
        },
      })
    },
    onSettled: () => refreshPayments(queries),
  })
  return { run, results }
}

export function ScenarioSteps({ scenario, results }: { scenario: Scenario; results: ReadonlyMap<Step, StepResult> }) {
  const t = useText().playground
  const describe = useStepText()
  return (
    <ol className="grid gap-1 text-sm">
      {scenario.steps.map((step, index) => {
        const result = results.get(step)
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

function useStepText(): (step: Step) => string {
  const { steps: t } = useText().playground
  const ui = useUiText()
  const names: Readonly<Record<string, string>> = ui.words.messages
  return (step) => {
    if ('message' in step) {
      const { transaction_type: type, amount, replacement_amount: replacement, currency = 'EUR' } = step.message
      const sum = amount ?? replacement
      return sum === undefined ? (names[type] ?? type) : `${names[type] ?? type} ${sum} ${currency}`
    }
    if ('deposit' in step) return t.deposit(step.deposit.amount)
    if ('screen' in step) return t.screen
    if ('withdraw' in step) return t.withdraw(step.withdraw.amount)
    if ('advance' in step) return t.advance(step.advance)
    if ('settle' in step) return t.settle
    if ('mint' in step) return t.mint(step.mint.amount)
    if ('mine' in step) return t.mine(step.mine)
    return t.reorganize(step.reorganize)
  }
}
