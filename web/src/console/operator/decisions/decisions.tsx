import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useUrlState } from '../../../lib/search.ts'
import { useTitle } from '../../../lib/session.tsx'
import { Button } from '../../../ui/button.tsx'
import { When } from '../../../ui/date.tsx'
import { TextField } from '../../../ui/field.tsx'
import { commandName } from '../command-name.ts'
import { OperatorName } from '../operator-name.tsx'
import { Subject } from '../proposals/subject.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, usePages } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { useText } from '../text.ts'
import { VerificationBadge } from './verification.tsx'

/** The log of everything that operators have changed. */
export function Decisions() {
  const c = useControlText()
  const { decisions: t } = c
  const { decide } = useText()
  const { purser } = useOperator()
  const [{ subject, by }, change] = useUrlState(['subject', 'by'])
  useTitle(t.title)
  const filters = { ...(subject !== null && { subject }), ...(by !== null && { by }) }
  const pages = usePages(
    ['decisions', filters],
    (after) => purser.operator.decisions.list({ ...filters, ...(after !== undefined && { after }) }),
    ({ seq }) => seq,
  )
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <ScreenHead title={t.title} text={t.lead} />
      <Filter key={`${subject} ${by}`} subject={subject ?? ''} by={by ?? ''} onFilter={change} />
      <PagedTable
        label={t.title}
        pages={pages}
        keyOf={({ decisionId }) => decisionId}
        empty={
          isFiltered
            ? {
                title: c.nothingMatches,
                action: (
                  <Button look="secondary" size="sm" onClick={() => change({ subject: null, by: null })}>
                    {c.showAll}
                  </Button>
                ),
              }
            : { title: t.emptyTitle, text: t.emptyText }
        }
        columns={[
          {
            head: t.command,
            cell: ({ seq, command }) => (
              <Link
                to={`/operator/decisions/${seq}`}
                className="rounded font-medium text-accent underline-offset-2 hover:underline"
              >
                {commandName(decide.commands, command)}
              </Link>
            ),
          },
          { head: t.subject, cell: (decision) => <Subject {...decision} /> },
          { head: t.decidedBy, cell: ({ decidedBy }) => <OperatorName by={decidedBy} /> },
          { head: t.approvedBy, cell: ({ approvedBy }) => <OperatorName by={approvedBy} /> },
          { head: t.proof, cell: (decision) => <VerificationBadge decision={decision} /> },
          { head: t.decidedAt, cell: ({ decidedAt }) => <When at={decidedAt} /> },
          { head: t.number, isNumber: true, cell: ({ seq }) => seq },
        ]}
      />
    </>
  )
}

type FilterProps = {
  readonly subject: string
  readonly by: string
  readonly onFilter: (filter: { subject: string | null; by: string | null }) => void
}

function Filter({ onFilter, ...given }: FilterProps) {
  const { decisions: t } = useControlText()
  const [subject, setSubject] = useState(given.subject)
  const [by, setBy] = useState(given.by)
  function submit(event: FormEvent) {
    event.preventDefault()
    onFilter({ subject: subject.trim() || null, by: by.trim() || null })
  }
  return (
    <form onSubmit={submit} className="mb-4 grid items-end gap-3 sm:grid-cols-[1fr_1fr_auto]">
      <TextField
        label={t.subject}
        maxLength={300}
        value={subject}
        onChange={(event) => setSubject(event.currentTarget.value)}
      />
      <TextField
        label={t.by}
        placeholder={t.byHint}
        maxLength={300}
        value={by}
        onChange={(event) => setBy(event.currentTarget.value)}
      />
      <Button type="submit" look="secondary">
        {t.filter}
      </Button>
    </form>
  )
}
