import type { Proposal } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { useTitle } from '../../../lib/session.tsx'
import { Notice } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { When } from '../../../ui/date.tsx'
import { Dialog, useCloseIfOpen } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { ErrorNote, Loaded, Skeleton } from '../../../ui/states.tsx'
import { useUiText } from '../../../ui/text.ts'
import { Until } from '../age.tsx'
import { useDeciding } from '../deciding.tsx'
import { DecisionFacts } from '../decision-facts.tsx'
import { OperatorName, useOperators } from '../operator-name.tsx'
import { permissionOf } from '../permissions.ts'
import { useOperator } from '../session.tsx'
import { ScreenHead } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { useText } from '../text.ts'
import { ProposalBadge } from './status.tsx'
import { Subject } from './subject.tsx'

/** One proposal: what was signed, by whom, and what another person can do about it. */
export function ProposalScreen() {
  const { proposals: t } = useControlText()
  const { decide } = useText()
  const { purser } = useOperator()
  const { proposalId = '' }: { proposalId?: string } = useParams({ strict: false })
  const proposal = useQuery({
    queryKey: ['operator', 'proposal', proposalId],
    queryFn: async () => purser.operator.proposals.get(proposalId),
  })
  const name = proposal.data && decide.commands[proposal.data.command]
  useTitle(name === undefined ? t.title : t.titleOf(name))
  return (
    <>
      <ScreenHead
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {name ?? t.title}
            {proposal.data !== undefined && <ProposalBadge status={proposal.data.status} />}
          </span>
        }
        actions={proposal.data?.status === 'open' && <Actions proposal={proposal.data} />}
      />
      <Loaded query={proposal} loading={<Skeleton className="h-96" />}>
        {(found) => <Details proposal={found} />}
      </Loaded>
    </>
  )
}

/** Whether the operator proposed it, with this or another wallet of the same person. */
function useIsOwn({ proposedBy }: Proposal): boolean {
  const { operator } = useOperator()
  const { data } = useOperators()
  const isSame = (address: string) => address.toLowerCase() === proposedBy.toLowerCase()
  return isSame(operator.address) || data?.find(({ address }) => isSame(address))?.personId === operator.personId
}

function Actions({ proposal }: { proposal: Proposal }) {
  const { proposals: t } = useControlText()
  const { may } = useOperator()
  const isOwn = useIsOwn(proposal)
  const { approve } = useDeciding()
  const [isRejecting, setRejecting] = useState(false)
  if (!may(permissionOf[proposal.command])) return null
  return (
    <>
      <Button look="secondary" size="sm" onClick={() => setRejecting(true)}>
        {isOwn ? t.withdraw : t.reject}
      </Button>
      {!isOwn && (
        <Button size="sm" onClick={() => approve(proposal)}>
          {t.approve}
        </Button>
      )}
      {isRejecting && <Reject proposal={proposal} isOwn={isOwn} onClose={() => setRejecting(false)} />}
    </>
  )
}

function Reject({ proposal, isOwn, onClose }: { proposal: Proposal; isOwn: boolean; onClose: () => void }) {
  const { proposals: t } = useControlText()
  const { decide } = useText()
  const ui = useUiText()
  const { purser } = useOperator()
  const queries = useQueryClient()
  const form = useId()
  const [reason, setReason] = useState('')
  const rejecting = useMutation({
    mutationFn: async () => purser.operator.proposals.reject(proposal.proposalId, { reason: reason.trim() }),
    onSuccess: useCloseIfOpen(onClose),
    onSettled: () => queries.invalidateQueries(),
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isOwn ? t.withdrawTitle : t.rejectTitle}
      text={t.rejectText}
      actions={
        <>
          <Button look="secondary" onClick={onClose}>
            {ui.cancel}
          </Button>
          <Button type="submit" form={form} isPending={rejecting.isPending}>
            {isOwn ? t.withdraw : t.reject}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="grid gap-5"
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          if (!rejecting.isPending) rejecting.mutate()
        }}
      >
        <TextField
          label={decide.reason}
          hint={decide.reasonHint}
          required
          pattern=".*\S.*"
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {rejecting.error !== null && <ErrorNote error={rejecting.error} />}
      </form>
    </Dialog>
  )
}

function Details({ proposal }: { proposal: Proposal }) {
  const { proposals: t } = useControlText()
  const { status, command, subject, closedBy, closedAt, outcome, decisionId } = proposal
  return (
    <div className="grid gap-5">
      <Standing proposal={proposal} />
      <div className="grid items-start gap-5 text-sm xl:grid-cols-2">
        <Panel title={t.signed}>
          <div className="grid gap-4">
            <DecisionFacts
              subject={subject}
              given={proposal.arguments}
              reason={proposal.reason}
              prepared={proposal}
              former={null}
            />
          </div>
        </Panel>
        <Panel title={t.course}>
          <Facts
            rows={[
              [t.subject, <Subject key="subject" command={command} subject={subject} />],
              [t.proposedBy, <OperatorName key="by" by={proposal.proposedBy} />],
              [t.proposedAt, <When key="at" at={proposal.proposedAt} />],
              ...(status === 'open'
                ? [
                    [
                      t.expires,
                      <span key="expires">
                        <Until at={proposal.expiresAt} /> · <When at={proposal.expiresAt} />
                      </span>,
                    ] as const,
                  ]
                : []),
              ...(closedBy === null ? [] : [[t.closedBy, <OperatorName key="closer" by={closedBy} />] as const]),
              ...(closedAt === null ? [] : [[t.closedAt, <When key="closed" at={closedAt} />] as const]),
              ...(outcome === null
                ? []
                : [
                    [
                      t.outcome,
                      <span key="outcome" lang="en">
                        {outcome}
                      </span>,
                    ] as const,
                  ]),
              ...(decisionId === null
                ? []
                : [
                    [
                      t.decision,
                      <Link
                        key="decision"
                        to="/operator/decisions"
                        search={{ subject }}
                        className="text-accent underline underline-offset-2"
                      >
                        {t.openDecision}
                      </Link>,
                    ] as const,
                  ]),
            ]}
          />
        </Panel>
      </div>
    </div>
  )
}

/** Explains the status to the reader. */
function Standing({ proposal }: { proposal: Proposal }) {
  const { proposals: t } = useControlText()
  const { may } = useOperator()
  const isOwn = useIsOwn(proposal)
  const needed = permissionOf[proposal.command]
  switch (proposal.status) {
    case 'open':
      if (isOwn) return <Notice tone="info">{t.own}</Notice>
      return may(needed) ? null : <Notice>{t.noPermission(needed)}</Notice>
    case 'lapsed':
      return <Notice tone="bad">{t.lapsed}</Notice>
    case 'expired':
      return <Notice tone="warn">{t.expired}</Notice>
    case 'executed':
    case 'rejected':
      return null
  }
}
