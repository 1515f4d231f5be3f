import type { ReconcileRun } from '@purser/client'
import { Link } from '@tanstack/react-router'
import { useLanguage } from '../../../lib/language.tsx'
import { useUrlState } from '../../../lib/search.ts'
import { useTitle } from '../../../lib/session.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { LinkButton } from '../../../ui/button.tsx'
import { formatDate, utcText, When } from '../../../ui/date.tsx'
import { Empty, ErrorNote } from '../../../ui/states.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, Sheet, SkeletonTable, usePages } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { CheckUser } from './check-user.tsx'
import { Run } from './run.tsx'

/** The checks of the books. The latest one is open, or the one that the URL names. */
export function Reconciliation() {
  const { books: t } = useControlText()
  const { locale } = useLanguage()
  const { purser, may } = useOperator()
  const [{ run: wanted }] = useUrlState(['run'])
  useTitle(t.title)
  const pages = usePages(['reconciliation'], (cursor) =>
    purser.operator.reconciliation.list({ limit: 20, ...(cursor !== undefined && { cursor }) }),
  )
  const runs = pages.data?.pages.flatMap(({ data }) => data)
  const shown = wanted === null ? runs?.[0] : runs?.find(({ runId }) => runId === wanted)
  const isLatest = shown !== undefined && shown.runId === runs?.[0]?.runId
  return (
    <>
      <ScreenHead
        title={t.title}
        text={t.lead}
        actions={
          !isLatest &&
          wanted !== null && (
            <LinkButton to="/operator/reconciliation" look="secondary" size="sm">
              {t.toLatest}
            </LinkButton>
          )
        }
      />
      <div className="grid gap-8">
        {runs === undefined ? (
          pages.error === null ? (
            <Sheet>
              <SkeletonTable />
            </Sheet>
          ) : (
            <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} />
          )
        ) : shown === undefined ? (
          <Sheet>
            {runs.length === 0 ? (
              <Empty title={t.emptyTitle} text={t.emptyText} />
            ) : (
              <Empty
                title={t.missing}
                action={
                  <LinkButton to="/operator/reconciliation" look="secondary" size="sm">
                    {t.latest}
                  </LinkButton>
                }
              />
            )}
          </Sheet>
        ) : (
          <section aria-labelledby="run" className="grid gap-4">
            <h2 id="run" className="font-semibold" title={utcText(shown.startedAt)}>
              {isLatest ? t.latest : t.checkOf(formatDate(locale, shown.startedAt))}
            </h2>
            <Run run={shown} />
          </section>
        )}
        {may('reconciliation:run') && <CheckUser />}
        {runs !== undefined && runs.length > 0 && (
          <section aria-labelledby="runs" className="grid gap-3">
            <h2 id="runs" className="font-semibold">
              {t.runs}
            </h2>
            <PagedTable
              label={t.runs}
              pages={pages}
              keyOf={({ runId }) => runId}
              empty={{ title: t.emptyTitle, text: t.emptyText }}
              columns={[
                {
                  head: t.started,
                  cell: ({ runId, startedAt }) => (
                    <Link
                      to="/operator/reconciliation"
                      search={{ run: runId }}
                      aria-current={runId === shown?.runId ? 'true' : undefined}
                      className="rounded font-medium text-accent underline-offset-2 hover:underline aria-[current=true]:text-text"
                    >
                      <When at={startedAt} />
                    </Link>
                  ),
                },
                { head: t.result, cell: (run) => <RunBadge run={run} /> },
                { head: t.counts.users, isNumber: true, cell: ({ users }) => users.toLocaleString(locale) },
                { head: t.counts.movements, isNumber: true, cell: ({ movements }) => movements.toLocaleString(locale) },
                { head: t.duration, isNumber: true, cell: (run) => durationOf(locale, run) },
              ]}
            />
          </section>
        )}
      </div>
    </>
  )
}

const findingsOf = ({ badRows, custody }: ReconcileRun) =>
  badRows + (custody?.filter(({ isShort }) => isShort).length ?? 0)

function RunBadge({ run }: { run: ReconcileRun }) {
  const { books: t } = useControlText()
  return run.isClean ? <Badge tone="good">{t.clean}</Badge> : <Badge tone="bad">{t.bad(findingsOf(run))}</Badge>
}

function durationOf(locale: string, { startedAt, endedAt }: ReconcileRun): string {
  const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000
  const unit = { style: 'unit', unit: 'second', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, unit).format(seconds)
}
