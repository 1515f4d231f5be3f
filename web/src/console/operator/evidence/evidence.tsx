import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { serviceNow } from '../../../lib/facts.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { useUrlState } from '../../../lib/search.ts'
import { useTitle } from '../../../lib/session.tsx'
import { Notice, Outcome } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { ErrorNote } from '../../../ui/states.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { IdLink } from '../values.tsx'
import { type Bundle, readBundle } from './bundle.ts'

const defaultDays = 30

/** A day in the time zone of the reader, as inputs have it. */
const dayOf = (date: Date) => new Intl.DateTimeFormat('sv-SE').format(date)

/** The midnight at which a day begins. */
const startOf = (day: string, added = 0) => {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + added)
  return date
}

/** Downloads the signed record of a period. */
export function Evidence() {
  const { evidence: t } = useControlText()
  const { purser } = useOperator()
  const today = dayOf(new Date(serviceNow()))
  const [search, change] = useUrlState(['from', 'to'])
  const from = search.from ?? dayOf(startOf(today, -defaultDays))
  const to = search.to ?? today
  useTitle(t.title)
  const loading = useMutation({
    async mutationFn() {
      const period = { from: startOf(from).toISOString(), to: startOf(to, 1).toISOString() }
      // A bundle of a quarter may take minutes. The command line has the same timeout.
      const text = await purser.operator.evidence(period, { timeoutMilliseconds: 600_000, maxRetries: 0 })
      saveFile(`evidence-${from}-${to}.ndjson`, 'application/x-ndjson', text)
      return readBundle(text)
    },
  })
  const isBadPeriod = to < from
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isBadPeriod && !loading.isPending) loading.mutate()
  }
  return (
    <>
      <ScreenHead title={t.title} text={t.lead} />
      <div className="grid items-start gap-5 text-sm xl:grid-cols-2">
        <Panel>
          <form onSubmit={submit} className="grid gap-4">
            <p className="text-soft">{t.contents}</p>
            <div className="grid gap-4 sm:grid-cols-2">
              <TextField
                label={t.from}
                type="date"
                required
                value={from}
                onChange={(event) => change({ from: event.currentTarget.value || null })}
              />
              <TextField
                label={t.to}
                type="date"
                required
                value={to}
                error={isBadPeriod ? t.badPeriod : null}
                onChange={(event) => change({ to: event.currentTarget.value || null })}
              />
            </div>
            <p className="text-soft">{t.periodHint}</p>
            <Button type="submit" isPending={loading.isPending} className="justify-self-start">
              {t.download}
            </Button>
            {loading.error !== null && <ErrorNote error={loading.error} />}
          </form>
        </Panel>
        <Outcome>{loading.data !== undefined && <Saved bundle={loading.data} />}</Outcome>
        <Panel title={t.verify}>
          <ol className="grid list-decimal gap-2 pl-5">
            {t.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </Panel>
      </div>
    </>
  )
}

function Saved({ bundle: { records, isComplete, kid, sha256, isIntact } }: { bundle: Bundle }) {
  const { evidence: t } = useControlText()
  return (
    <Panel title={t.done}>
      <div className="grid gap-4">
        {!isComplete && <Notice tone="warn">{t.cut}</Notice>}
        <Notice tone={isIntact ? 'good' : 'bad'}>{isIntact ? t.hashOk : t.hashBad}</Notice>
        <Facts
          rows={[
            [t.records, String(records)],
            [t.key, <IdLink key="kid" to="/operator/signing-keys" id={kid} />],
            [t.hash, <CopyId key="hash" id={sha256} />],
          ]}
        />
      </div>
    </Panel>
  )
}
