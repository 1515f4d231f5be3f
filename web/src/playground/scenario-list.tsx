import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '../console/text.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { ErrorNote } from '../ui/states.tsx'
import { useUiText } from '../ui/text.ts'
import { chainQuery } from './chain.ts'
import { CopyAs, forms } from './copy-as.tsx'
import { type Cardholder, createCardholder } from './people.ts'
import type { StepResult } from './run-scenario.ts'
import type { Sandbox } from './sandbox.ts'
import { lackOf, type Scenario, type Step, scenarios } from './scenario.ts'
import type { Target } from './scenario-code.ts'

type Props = {
  readonly sandbox: Sandbox
  /** The user of the copied code. */
  readonly target: Target | null
  /** Called as soon as the scenario has its card, and after each of its steps. */
  readonly onProgress: (holder: Cardholder) => void
}

export function ScenarioList({ sandbox, target, onProgress }: Props) {
  const t = useText().playground
  const [isNoisy, setNoisy] = useState(false)
  const head = useQuery(chainQuery(sandbox))
  return (
    <div className="grid gap-4">
      <Checkbox
        label={t.noisy}
        hint={t.noisyHint}
        checked={isNoisy}
        onChange={(event) => setNoisy(event.currentTarget.checked)}
      />
      <ul className="grid divide-y divide-line">
        {scenarios.map((scenario) => (
          <ScenarioRow
            key={scenario.id}
            scenario={scenario}
            sandbox={sandbox}
            target={target}
            isNoisy={isNoisy}
            hasChain={head.data === undefined ? null : head.data !== null}
            onProgress={onProgress}
          />
        ))}
      </ul>
    </div>
  )
}

type RunProps = Pick<Props, 'sandbox' | 'onProgress'> & { readonly scenario: Scenario; readonly isNoisy: boolean }

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
      await queries.invalidateQueries()
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
    onSettled: () => queries.invalidateQueries(),
  })
  return { run, results }
}

type RowProps = RunProps &
  Pick<Props, 'target'> & {
    /** Null: not known yet. */
    readonly hasChain: boolean | null
  }

function ScenarioRow(props: RowProps) {
  const { scenario, sandbox, target, hasChain } = props
  const t = useText().playground
  const { run, results } = useScenario(props)
  const lack = hasChain === null ? null : lackOf(scenario, hasChain)
  const isOpen = run.isPending || run.data !== undefined || run.error !== null
  return (
    <li className="grid gap-3 py-4">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <h3 className="font-medium">{scenario.title}</h3>
          <p className="mt-0.5 text-sm text-soft">{scenario.description}</p>
          {lack !== null && <p className="mt-1.5 text-sm text-warn">{t.lacks[lack]}</p>}
        </div>
        {lack === null && (
          <Button
            look="secondary"
            size="sm"
            isPending={run.isPending}
            onClick={() => run.mutate()}
            aria-label={`${t.play}: ${scenario.title}`}
          >
            {t.play}
          </Button>
        )}
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
      {run.error !== null && <ErrorNote error={run.error} onRetry={() => run.mutate()} sentences={t.errors} />}
      {target !== null && (
        <CopyAs
          label={`${t.copyAs}: ${scenario.title}`}
          forms={forms}
          subject={{ scenario, target }}
          codeOf={async (form) => (await import('./scenario-code.ts')).codeOfScenario(form, scenario, target, sandbox)}
        />
      )}
    </li>
  )
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
