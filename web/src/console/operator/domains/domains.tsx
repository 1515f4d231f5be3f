import { useState } from 'react'
import { useTitle } from '../../../lib/session.tsx'
import { Button } from '../../../ui/button.tsx'
import { When } from '../../../ui/date.tsx'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { DecideButton, useDeciding } from '../deciding.tsx'
import { OpenProposals } from '../open-proposals.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, usePages } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { IdLink } from '../values.tsx'

/** The domains whose pages may sign users in. */
export function SignInDomains() {
  const c = useControlText()
  const { domains: t } = c
  const { purser, may } = useOperator()
  const [isAdding, setAdding] = useState(false)
  const { decide } = useDeciding()
  useTitle(t.title)
  const pages = usePages(['domains'], (cursor) =>
    purser.operator.domains.list({ ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <>
      <ScreenHead
        title={t.title}
        text={t.lead}
        actions={
          may('domains:write') && (
            <Button look="secondary" size="sm" onClick={() => setAdding(true)}>
              {t.add}
            </Button>
          )
        }
      />
      <OpenProposals commands={['domain add', 'domain remove']} />
      <PagedTable
        label={t.title}
        pages={pages}
        keyOf={({ domain }) => domain}
        empty={{ title: t.emptyTitle, text: t.emptyText }}
        columns={[
          { head: t.domain, cell: ({ domain }) => <span className="font-medium wrap-anywhere">{domain}</span> },
          {
            head: t.owner,
            cell: ({ partnerId }) =>
              partnerId === null ? t.byOperator : <IdLink to={`/operator/partners/${partnerId}`} id={partnerId} />,
          },
          { head: t.since, cell: ({ createdAt }) => <When at={createdAt} /> },
          {
            head: c.action,
            isNumber: true,
            cell: ({ domain }) => (
              <DecideButton look="danger" request={{ command: 'domain remove', subject: domain }}>
                {t.remove} <span className="sr-only">{domain}</span>
              </DecideButton>
            ),
          },
        ]}
      />
      {isAdding && (
        <AddDomain
          onClose={() => setAdding(false)}
          onNext={(domain) => {
            setAdding(false)
            decide({ command: 'domain add', subject: domain })
          }}
        />
      )}
    </>
  )
}

function AddDomain({ onClose, onNext }: { onClose: () => void; onNext: (domain: string) => void }) {
  const { domains: t, next } = useControlText()
  const [domain, setDomain] = useState('')
  return (
    <FormDialog title={t.add} action={next} onClose={onClose} onSubmit={() => onNext(domain.trim().toLowerCase())}>
      <TextField
        label={t.domain}
        hint={t.addHint}
        required
        maxLength={255}
        pattern="\s*[^\s\/]+\s*"
        spellCheck={false}
        value={domain}
        onChange={(event) => setDomain(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
