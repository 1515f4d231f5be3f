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
type KeyState = 'signs' | 'future' | 'verifies' | 'ended' | 'retired'

const tones = { signs: 'good', future: 'info', verifies: 'neutral', ended: 'neutral', retired: 'neutral' } as const

/** The maximum validity of an access token. */
const tokenMilliseconds = 86_400_000

/** A key signs until the next one begins. The service then trusts it until its last access token has expired. */
function stateOf(key: Key, inOrder: readonly Key[]): KeyState {
  if (key.retiredAt !== null) return 'retired'
  const age = ({ activeFrom }: Key) => serviceNow() - Date.parse(activeFrom)
  if (age(key) < 0) return 'future'
  const successor = inOrder[inOrder.indexOf(key) + 1]
  if (successor === undefined || age(successor) < 0) return 'signs'
  return age(successor) < tokenMilliseconds ? 'verifies' : 'ended'
}

/** Even the key that signs can be retired, because it may have leaked. */
const isRetirable = (state: KeyState) => state !== 'ended' && state !== 'retired'

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
                      isRetirable(stateOf(key, rows)) && (
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
