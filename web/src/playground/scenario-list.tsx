import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '../console/text.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { ErrorNote } from '../ui/states.tsx'
import { chainQuery } from './chain.ts'
import { CopyAs, forms } from './copy-as.tsx'
import { lackOf } from './scenario.ts'
import type { Target } from './scenario-code.ts'
import { type RunProps, ScenarioSteps, useScenario } from './scenario-run.tsx'
import { scenarios } from './scenarios.ts'

type Props = Pick<RunProps, 'sandbox' | 'onProgress'> & {
  /** The user of the copied code. */
  readonly target: Target | null
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
