import type { ResultOf } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { serviceNow } from '../../../lib/facts.ts'
import { useTitle } from '../../../lib/session.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { DecideButton } from '../deciding.tsx'
import { OpenProposals } from '../open-proposals.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead, Sheet, SkeletonTable, Table } from '../table.tsx'
import { useControlText } from '../text/control.ts'

type Key = ResultOf<'operator.signingKeys.list'>['data'][number]
type KeyState = 'signs' | 'future' | 'verifies' | 'retired'

const tones = { signs: 'good', future: 'info', verifies: 'neutral', retired: 'neutral' } as const

/** The newest key whose time has come signs. Earlier keys are shown as verifying until they are retired. */
function stateOf(key: Key, keys: readonly Key[]): KeyState {
  if (key.retiredAt !== null) return 'retired'
  const now = new Date(serviceNow()).toISOString()
  if (key.activeFrom > now) return 'future'
  const isNewer = (other: Key) =>
    other.retiredAt === null && other.activeFrom <= now && other.activeFrom > key.activeFrom
  return keys.some(isNewer) ? 'verifies' : 'signs'
}

export function Keys() {
  const c = useControlText()
  const { keys: t } = c
  const { purser } = useOperator()
  useTitle(t.title)
  const keys = useQuery({
    queryKey: ['operator', 'signing-keys'],
    queryFn: async () => (await purser.operator.signingKeys.list()).data,
  })
  return (
    <>
      <ScreenHead
        title={t.title}
        text={t.lead}
        actions={<DecideButton request={{ command: 'keys rotate', subject: 'signing-keys' }}>{t.rotate}</DecideButton>}
      />
      <OpenProposals commands={['keys rotate', 'keys retire']} />
      <Loaded query={keys} loading={<Sheet children={<SkeletonTable rows={2} />} />}>
        {(rows) => (
          <Sheet>
            {rows.length === 0 ? (
              <Empty title={t.emptyTitle} text={t.emptyText} />
            ) : (
              <Table
                label={t.title}
                rows={rows}
                keyOf={({ kid }) => kid}
                columns={[
                  { head: t.kid, cell: ({ kid }) => <CopyId id={kid} /> },
                  {
                    head: t.state,
                    cell: (key) => <Badge tone={tones[stateOf(key, rows)]}>{t[stateOf(key, rows)]}</Badge>,
                  },
                  { head: t.from, cell: ({ activeFrom }) => <When at={activeFrom} /> },
                  { head: t.retiredAt, cell: ({ retiredAt }) => (retiredAt === null ? '–' : <When at={retiredAt} />) },
                  {
                    head: c.action,
                    isNumber: true,
                    cell: (key) =>
                      stateOf(key, rows) === 'verifies' && (
                        <DecideButton look="danger" request={{ command: 'keys retire', subject: key.kid }}>
                          {t.retire}
                        </DecideButton>
                      ),
                  },
                ]}
              />
            )}
          </Sheet>
        )}
      </Loaded>
      <p className="mt-4 text-sm text-soft">
        {t.apiKeys}{' '}
        <Link to="/operator/partners" className="text-accent underline underline-offset-2">
          {t.toPartners}
        </Link>
      </p>
    </>
  )
}
