import type { OperatorPartner } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTitle } from '../../../lib/session.tsx'
import { Notice } from '../../../ui/badge.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { Loaded, Skeleton, SkeletonRows } from '../../../ui/states.tsx'
import { commandName } from '../command-name.ts'
import { DecideButton } from '../deciding.tsx'
import { OpenProposals } from '../open-proposals.tsx'
import { OperatorName } from '../operator-name.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead, Sheet, Table } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { useText } from '../text.ts'
import { Registrations } from './registrations.tsx'
import { PartnerBadge, partnerCommands } from './status.tsx'

/** One partner: its standing, everything that it registered, and what operators decided about it. */
export function PartnerScreen() {
  const { partners: t } = useControlText()
  const { purser } = useOperator()
  const { partnerId = '' }: { partnerId?: string } = useParams({ strict: false })
  const partner = useQuery({
    queryKey: ['operator', 'partner', partnerId],
    queryFn: async () => purser.operator.partners.get(partnerId),
  })
  useTitle(partner.data === undefined ? t.title : t.titleOf(partner.data.name))
  return (
    <>
      <ScreenHead
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="wrap-anywhere">{partner.data?.name ?? t.title}</span>
            {partner.data !== undefined && <PartnerBadge status={partner.data.status} />}
          </span>
        }
        actions={partner.data !== undefined && <Actions partner={partner.data} />}
      />
      <OpenProposals commands={partnerCommands} subject={partnerId} />
      <Loaded query={partner} loading={<Skeleton className="h-96" />}>
        {(found) => (
          <div className="grid gap-8">
            <Standing partner={found} />
            <Registrations partner={found} />
            <DecisionsAbout partnerId={partnerId} />
          </div>
        )}
      </Loaded>
    </>
  )
}

function Actions({ partner: { partnerId: subject, status, readsDetails } }: { partner: OperatorPartner }) {
  const { partners: t } = useControlText()
  const details = readsDetails ? 'off' : 'on'
  return (
    <>
      <DecideButton request={{ command: 'partner details', subject, arguments: { details } }}>
        {readsDetails ? t.detailsOff : t.detailsOn}
      </DecideButton>
      {status !== 'suspended' && (
        <DecideButton look="danger" request={{ command: 'partner suspend', subject }}>
          {t.suspend}
        </DecideButton>
      )}
      {status !== 'active' && (
        <DecideButton look="primary" request={{ command: 'partner approve', subject }}>
          {t.approve}
        </DecideButton>
      )}
    </>
  )
}

function Standing({ partner: { partnerId, status, createdAt, readsDetails } }: { partner: OperatorPartner }) {
  const { partners: t } = useControlText()
  const { id } = useControlText()
  return (
    <div className="grid gap-4">
      {status === 'pending' && <Notice tone="warn">{t.pendingText}</Notice>}
      {status === 'suspended' && <Notice tone="bad">{t.suspendedText}</Notice>}
      <div className="text-sm">
        <Panel>
          <Facts
            rows={[
              [id, <CopyId key="id" id={partnerId} />],
              [t.since, <When key="since" at={createdAt} />],
              [t.details, readsDetails ? t.detailsText.on : t.detailsText.off],
            ]}
          />
        </Panel>
      </div>
    </div>
  )
}

const shownDecisions = 10

function DecisionsAbout({ partnerId }: { partnerId: string }) {
  const { partners: t, decisions: names } = useControlText()
  const { decide } = useText()
  const { purser } = useOperator()
  const decisions = useQuery({
    queryKey: ['operator', 'decisions', { subject: partnerId }, 'latest'],
    queryFn: async () => (await purser.operator.decisions.list({ subject: partnerId, limit: shownDecisions })).data,
  })
  return (
    <section aria-labelledby="decisions" className="grid gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-3">
        <h2 id="decisions" className="font-semibold">
          {t.decisions}
        </h2>
        <Link
          to="/operator/decisions"
          search={{ subject: partnerId }}
          className="text-sm text-accent underline underline-offset-2"
        >
          {t.allDecisions}
        </Link>
      </div>
      <Loaded query={decisions} loading={<SkeletonRows count={1} />}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="text-sm text-soft">{t.noDecisions}</p>
          ) : (
            <Sheet>
              <Table
                label={t.decisions}
                rows={rows}
                keyOf={({ decisionId }) => decisionId}
                columns={[
                  {
                    head: names.command,
                    cell: ({ seq, command }) => (
                      <Link
                        to={`/operator/decisions/${seq}`}
                        className="rounded font-medium text-accent underline-offset-2 hover:underline"
                      >
                        {commandName(decide.commands, command)}
                      </Link>
                    ),
                  },
                  { head: names.reason, cell: ({ reason }) => <span className="wrap-anywhere">{reason}</span> },
                  { head: names.decidedBy, cell: ({ decidedBy }) => <OperatorName by={decidedBy} /> },
                  { head: names.decidedAt, cell: ({ decidedAt }) => <When at={decidedAt} /> },
                ]}
              />
            </Sheet>
          )
        }
      </Loaded>
    </section>
  )
}
