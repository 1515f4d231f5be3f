import { Link } from '@tanstack/react-router'
import { useUrlState } from '../../../lib/search.ts'
import { useTitle } from '../../../lib/session.tsx'
import { Button } from '../../../ui/button.tsx'
import { When } from '../../../ui/date.tsx'
import { Segments } from '../../../ui/field.tsx'
import { Until } from '../age.tsx'
import { OperatorName } from '../operator-name.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, usePages } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { useText } from '../text.ts'
import { ProposalBadge } from './status.tsx'
import { Subject } from './subject.tsx'

const statuses = ['open', 'executed', 'rejected', 'lapsed', 'expired'] as const
const all = 'all'

export function Proposals() {
  const c = useControlText()
  const { proposals: t } = c
  const { decide } = useText()
  const { purser } = useOperator()
  const [search, change] = useUrlState(['status'])
  const status = statuses.find((each) => each === search.status) ?? (search.status === all ? undefined : 'open')
  useTitle(t.title)
  const pages = usePages(
    ['proposals', status],
    (after) => purser.operator.proposals.list({ ...(status && { status }), ...(after !== undefined && { after }) }),
    ({ proposalId }) => proposalId,
  )
  return (
    <>
      <ScreenHead title={t.title} text={t.lead} />
      <div className="mb-4 flex">
        <Segments
          label={c.state}
          value={status ?? all}
          options={[...statuses.map((value) => ({ value, label: t.statuses[value] })), { value: all, label: c.all }]}
          onPick={(next) => change({ status: next })}
        />
      </div>
      <PagedTable
        label={t.title}
        pages={pages}
        keyOf={({ proposalId }) => proposalId}
        empty={
          status === 'open'
            ? { title: t.emptyTitle, text: t.emptyText }
            : {
                title: c.nothingMatches,
                action: (
                  <Button look="secondary" size="sm" onClick={() => change({ status: all })}>
                    {c.showAll}
                  </Button>
                ),
              }
        }
        columns={[
          {
            head: t.command,
            cell: ({ proposalId, command }) => (
              <Link
                to={`/operator/proposals/${proposalId}`}
                className="rounded font-medium text-accent underline-offset-2 hover:underline"
              >
                {decide.commands[command]}
              </Link>
            ),
          },
          { head: t.subject, cell: (proposal) => <Subject {...proposal} /> },
          { head: c.state, cell: (proposal) => <ProposalBadge status={proposal.status} /> },
          { head: t.proposedBy, cell: ({ proposedBy }) => <OperatorName by={proposedBy} /> },
          { head: t.proposedAt, cell: ({ proposedAt }) => <When at={proposedAt} /> },
          {
            head: t.expires,
            cell: (proposal) => (proposal.status === 'open' ? <Until at={proposal.expiresAt} /> : '–'),
          },
        ]}
      />
    </>
  )
}
