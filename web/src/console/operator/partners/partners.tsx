import { Link } from '@tanstack/react-router'
import { useUrlState } from '../../../lib/search.ts'
import { useTitle } from '../../../lib/session.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Segments } from '../../../ui/field.tsx'
import { OpenProposals } from '../open-proposals.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, usePages } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { PartnerBadge, partnerCommands } from './status.tsx'

const statuses = ['pending', 'active', 'suspended'] as const

export function Partners() {
  const c = useControlText()
  const { partners: t } = c
  const { purser } = useOperator()
  const [search, change] = useUrlState(['status'])
  const status = statuses.find((each) => each === search.status)
  useTitle(t.title)
  const pages = usePages(['partners', status], (cursor) =>
    purser.operator.partners.list({ ...(status && { status }), ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <>
      <ScreenHead
        title={t.title}
        text={t.lead}
        actions={
          <Segments
            label={t.status}
            value={status ?? ''}
            options={[{ value: '', label: c.all }, ...statuses.map((value) => ({ value, label: t.statuses[value] }))]}
            onPick={(next) => change({ status: next || null })}
          />
        }
      />
      <OpenProposals commands={partnerCommands} />
      <PagedTable
        label={t.title}
        pages={pages}
        keyOf={({ partnerId }) => partnerId}
        empty={
          status === undefined
            ? { title: t.emptyTitle, text: t.emptyText }
            : {
                title: c.nothingMatches,
                action: (
                  <Button look="secondary" size="sm" onClick={() => change({ status: null })}>
                    {c.showAll}
                  </Button>
                ),
              }
        }
        columns={[
          {
            head: t.name,
            cell: ({ partnerId, name }) => (
              <Link
                to={`/operator/partners/${partnerId}`}
                className="rounded font-medium text-accent underline-offset-2 wrap-anywhere hover:underline"
              >
                {name}
              </Link>
            ),
          },
          { head: t.status, cell: (partner) => <PartnerBadge status={partner.status} /> },
          { head: c.id, cell: ({ partnerId }) => <CopyId id={partnerId} /> },
          { head: t.since, cell: ({ createdAt }) => <When at={createdAt} /> },
        ]}
      />
    </>
  )
}
