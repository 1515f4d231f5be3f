import type { WaitingWork } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useLanguage } from '../../../lib/language.tsx'
import { useTitle } from '../../../lib/session.tsx'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatDate, utcText } from '../../../ui/date.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { Age } from '../age.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead, Sheet, SkeletonTable, Table } from '../table.tsx'
import { useText } from '../text.ts'

/** Urgent work: money may be wrong, or a kill switch is off. Everything else only waits. */
const urgent: ReadonlySet<WaitingWork['work']> = new Set([
  'badRows',
  'payoutsUnpaid',
  'payoutsUnassigned',
  'switchesOff',
])
const kinds = 13

/** The kinds of work that wait for an operator, with their counts and ages. */
export function WorkList() {
  const { work: t } = useText()
  const { locale } = useLanguage()
  const { purser } = useOperator()
  useTitle(t.title)
  const work = useQuery({
    queryKey: ['operator', 'overview'],
    queryFn: async () => (await purser.operator.overview()).data,
  })
  return (
    <>
      <ScreenHead
        title={t.title}
        actions={
          <>
            {work.data !== undefined && (
              <span className="text-sm text-soft tabular-nums" title={utcText(work.dataUpdatedAt)}>
                {t.asOf(formatDate(locale, work.dataUpdatedAt, 'time'))}
              </span>
            )}
            <Button look="secondary" size="sm" isPending={work.isFetching} onClick={() => void work.refetch()}>
              {t.refresh}
            </Button>
          </>
        }
      />
      <Loaded query={work} loading={<Sheet children={<SkeletonTable rows={kinds} />} />}>
        {(rows) => <Work rows={rows} />}
      </Loaded>
    </>
  )
}

function Work({ rows }: { rows: readonly WaitingWork[] }) {
  const { work: t } = useText()
  const waiting = rows.filter(({ count }) => count > 0).toSorted(byUrgency)
  const quiet = rows.filter(({ count }) => count === 0)
  return (
    <div className="grid gap-6">
      <Sheet>
        {waiting.length === 0 ? (
          <Empty title={t.emptyTitle} text={t.emptyText} />
        ) : (
          <Table
            label={t.title}
            rows={waiting}
            keyOf={({ work }) => work}
            columns={[
              { head: t.kind, cell: (row) => <WorkLink work={row} /> },
              { head: t.about, cell: ({ work }) => <span className="text-soft">{t.hints[work]}</span> },
              {
                head: t.count,
                isNumber: true,
                cell: (row) => <Badge tone={toneOf(row)}>{row.isMore ? t.more(row.count) : row.count}</Badge>,
              },
              {
                head: t.oldest,
                isNumber: true,
                cell: ({ oldestAt }) => (oldestAt === null ? '–' : <Age since={oldestAt} />),
              },
            ]}
          />
        )}
      </Sheet>
      {quiet.length > 0 && (
        <section aria-labelledby="quiet">
          <h2 id="quiet" className="mb-2 text-sm font-medium text-soft">
            {t.quiet}
          </h2>
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(13rem,1fr))] gap-x-6 gap-y-1.5 text-sm">
            {quiet.map((row) => (
              <li key={row.work}>
                <WorkLink work={row} isQuiet />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

const byUrgency = (one: WaitingWork, other: WaitingWork) =>
  Number(urgent.has(other.work)) - Number(urgent.has(one.work)) ||
  String(one.oldestAt).localeCompare(String(other.oldestAt))

const toneOf = ({ work }: WaitingWork): Tone => (urgent.has(work) ? 'bad' : 'warn')

/** A path of the API is the path of its screen. */
function WorkLink({ work: { work, path }, isQuiet = false }: { work: WaitingWork; isQuiet?: boolean }) {
  const { work: t } = useText()
  const [pathname = '', search = ''] = path.split('?')
  return (
    <Link
      to={pathname}
      search={Object.fromEntries(new URLSearchParams(search))}
      className={`rounded underline-offset-2 hover:underline ${isQuiet ? 'text-soft' : 'font-medium text-accent'}`}
    >
      {t.kinds[work]}
    </Link>
  )
}
