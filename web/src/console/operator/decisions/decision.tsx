import type { Decision } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTitle } from '../../../lib/session.tsx'
import { Notice } from '../../../ui/badge.tsx'
import { LinkButton } from '../../../ui/button.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { Empty, Loaded, Skeleton } from '../../../ui/states.tsx'
import { commandName } from '../command-name.ts'
import { StateFacts } from '../decision-facts.tsx'
import { OperatorName } from '../operator-name.tsx'
import { Subject } from '../proposals/subject.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead, Sheet } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { useText } from '../text.ts'
import { useVerified, VerificationBadge } from './verification.tsx'

/** One decision with its proof, which this browser verifies. */
export function DecisionScreen() {
  const { decisions: t } = useControlText()
  const { decide } = useText()
  const { purser, may } = useOperator()
  const { seq = '' }: { seq?: string } = useParams({ strict: false })
  useTitle(t.titleOf(seq))
  const decision = useQuery({
    queryKey: ['operator', 'decision', seq],
    // The list is newest first, so the decision is the first one after the next higher number.
    queryFn: async () => {
      if (!/^[0-9]{1,18}$/.test(seq)) return null
      const { data } = await purser.operator.decisions.list({ after: String(BigInt(seq) + 1n), limit: 1 })
      return data.find((each) => each.seq === seq) ?? null
    },
  })
  const found = decision.data
  return (
    <>
      <ScreenHead
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {found == null ? t.titleOf(seq) : commandName(decide.commands, found.command)}
            {found != null && <VerificationBadge decision={found} />}
          </span>
        }
        actions={
          found != null &&
          may('evidence:read') && (
            <LinkButton to="/operator/evidence" search={dayOf(found)} look="secondary" size="sm">
              {t.evidence}
            </LinkButton>
          )
        }
      />
      <Loaded query={decision} loading={<Skeleton className="h-96" />}>
        {(each) =>
          each === null ? (
            <Sheet>
              <Empty
                title={t.missing}
                action={
                  <LinkButton to="/operator/decisions" look="secondary" size="sm">
                    {t.back}
                  </LinkButton>
                }
              />
            </Sheet>
          ) : (
            <Details decision={each} />
          )
        }
      </Loaded>
    </>
  )
}

/** The day of a decision in the time zone of the reader, as the evidence screen names days. */
function dayOf({ decidedAt }: Decision): { from: string; to: string } {
  const day = new Intl.DateTimeFormat('sv-SE').format(new Date(decidedAt))
  return { from: day, to: day }
}

function Details({ decision }: { decision: Decision }) {
  const { decisions: t } = useControlText()
  return (
    <div className="grid gap-5">
      {decision.isBreakGlass ? <Notice tone="warn">{t.breakGlassText}</Notice> : <Verdict decision={decision} />}
      <div className="grid items-start gap-5 text-sm xl:grid-cols-2">
        <Panel>
          <Facts
            rows={[
              [t.number, decision.seq],
              [t.command, <code key="command">{decision.command}</code>],
              [t.subject, <Subject key="subject" {...decision} />],
              [t.reason, decision.reason],
              [t.decidedBy, <OperatorName key="by" by={decision.decidedBy} />],
              [t.approvedBy, <OperatorName key="approver" by={decision.approvedBy} />],
              [t.decidedAt, <When key="at" at={decision.decidedAt} form="full" />],
            ]}
          />
        </Panel>
        {!decision.isBreakGlass && <Proof decision={decision} />}
      </div>
    </div>
  )
}

function Verdict({ decision }: { decision: Decision }) {
  const { decisions: t } = useControlText()
  const { data, error } = useVerified(decision)
  if (error !== null) return <Notice tone="bad">{t.problems.proof}</Notice>
  if (data === undefined) return <Notice tone="info">{t.verifying}</Notice>
  if (data.problems.length > 0)
    return (
      <Notice tone="bad">
        <p className="font-medium">{t.invalidText}</p>
        <ul>
          {data.problems.map((problem) => (
            <li key={problem}>{t.problems[problem]}</li>
          ))}
        </ul>
      </Notice>
    )
  if (data.contracts > 0) return <Notice tone="warn">{t.unverifiedText}</Notice>
  return (
    <Notice tone="good">
      {t.validText} {t.where}
    </Notice>
  )
}

function Proof({ decision }: { decision: Decision }) {
  const { decisions: t } = useControlText()
  const { data } = useVerified(decision)
  if (data === undefined) return <Skeleton className="h-64" />
  return (
    <div className="grid gap-5">
      <Panel title={t.proof}>
        <ul className="divide-y divide-line">
          {data.signers.map(({ address, signature }) => (
            <li key={address} className="grid gap-1 py-2.5">
              <OperatorName by={address} />
              <span className="flex flex-wrap items-baseline justify-between gap-x-4">
                <span className="text-soft">{t.signature}</span>
                <CopyId id={signature} />
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title={t.state}>
        <StateFacts state={data.state} />
      </Panel>
    </div>
  )
}
