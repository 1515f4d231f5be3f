import type { Operator } from '@purser/client'
import { useState } from 'react'
import { useTitle } from '../../../lib/session.tsx'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { DecideButton, useDeciding } from '../deciding.tsx'
import { OpenProposals } from '../open-proposals.tsx'
import { OperatorName, useOperators } from '../operator-name.tsx'
import { useOperator } from '../session.tsx'
import type { DecisionRequest } from '../sign-decision.tsx'
import { ScreenHead, Sheet, SkeletonTable, Table } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { useText } from '../text.ts'
import { AddOperator } from './add-operator.tsx'
import { ChangeRole } from './change-role.tsx'
import { PermissionMatrix } from './permission-matrix.tsx'

const tones: Readonly<Record<Operator['role'], Tone>> = {
  viewer: 'neutral',
  support: 'info',
  money: 'info',
  admin: 'warn',
  auditor: 'neutral',
}

type Form = { readonly name: 'add' } | { readonly name: 'change'; readonly operator: Operator }

/** The wallets that may sign in as operators. */
export function Operators() {
  const { operators: t } = useControlText()
  const { may } = useOperator()
  const [form, setForm] = useState<Form | null>(null)
  const { decide } = useDeciding()
  const operators = useOperators()
  useTitle(t.title)
  const propose = (next: DecisionRequest) => {
    setForm(null)
    decide(next)
  }
  return (
    <>
      <ScreenHead
        title={t.title}
        text={t.lead}
        actions={
          may('operators:write') && (
            <Button look="secondary" size="sm" onClick={() => setForm({ name: 'add' })}>
              {t.add}
            </Button>
          )
        }
      />
      <OpenProposals commands={['operator add', 'operator change', 'operator remove']} />
      <Loaded query={operators} loading={<Sheet children={<SkeletonTable rows={4} />} />}>
        {(rows) => {
          const former = rows.filter(({ removedAt }) => removedAt !== null)
          return (
            <div className="grid gap-8">
              <Sheet>
                <Rows
                  label={t.current}
                  rows={rows.filter(({ removedAt }) => removedAt === null)}
                  onChange={(operator) => setForm({ name: 'change', operator })}
                />
              </Sheet>
              {former.length > 0 && (
                <section aria-labelledby="former" className="grid gap-3">
                  <h2 id="former" className="font-semibold">
                    {t.former}
                  </h2>
                  <Sheet>
                    <Rows label={t.former} rows={former} />
                  </Sheet>
                </section>
              )}
              {form?.name === 'add' && <AddOperator known={rows} onClose={() => setForm(null)} onNext={propose} />}
              {form?.name === 'change' && (
                <ChangeRole operator={form.operator} onClose={() => setForm(null)} onNext={propose} />
              )}
            </div>
          )
        }}
      </Loaded>
      <PermissionMatrix />
    </>
  )
}

type RowsProps = {
  readonly label: string
  readonly rows: readonly Operator[]
  /** Undefined: the operators are removed, and nothing can be changed. */
  readonly onChange?: (operator: Operator) => void
}

function Rows({ label, rows, onChange }: RowsProps) {
  const c = useControlText()
  const { operators: t } = c
  const { session } = useText()
  const { operator: own, may } = useOperator()
  const isOwn = ({ address }: Operator) => address.toLowerCase() === own.address.toLowerCase()
  return (
    <Table
      label={label}
      rows={rows}
      keyOf={({ address }) => address}
      columns={[
        {
          head: t.name,
          cell: (operator) => (
            <span className="font-medium">
              {operator.name} {isOwn(operator) && <span className="font-normal text-soft">({c.you})</span>}
            </span>
          ),
        },
        {
          head: t.wallet,
          cell: ({ address, contractChainId }) => (
            <span className="inline-flex flex-wrap items-baseline gap-x-2">
              <CopyId id={address} />
              {contractChainId !== null && <span className="text-soft">{t.contractOn(contractChainId)}</span>}
            </span>
          ),
        },
        { head: t.role, cell: ({ role }) => <Badge tone={tones[role]}>{session.roles[role]}</Badge> },
        {
          head: t.added,
          cell: ({ createdAt, addedBy }) => (
            <>
              <When at={createdAt} form="day" />{' '}
              <span className="text-soft">
                {t.addedBy} <OperatorName by={addedBy} />
              </span>
            </>
          ),
        },
        onChange === undefined
          ? { head: t.removed, cell: ({ removedAt }) => (removedAt === null ? '–' : <When at={removedAt} />) }
          : {
              head: c.action,
              isNumber: true,
              cell: (operator) =>
                may('operators:write') && (
                  <span className="inline-flex flex-wrap justify-end gap-2 sm:flex-nowrap">
                    <Button look="secondary" size="sm" onClick={() => onChange(operator)}>
                      {t.change} <span className="sr-only">{operator.name}</span>
                    </Button>
                    <DecideButton look="danger" request={{ command: 'operator remove', subject: operator.address }}>
                      {t.remove} <span className="sr-only">{operator.name}</span>
                    </DecideButton>
                  </span>
                ),
            },
      ]}
    />
  )
}
