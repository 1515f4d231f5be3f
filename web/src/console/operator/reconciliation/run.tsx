import type { LedgerAccounts, ReconcileRun } from '@purser/client'
import type { ReactNode } from 'react'
import { useLanguage } from '../../../lib/language.tsx'
import { Badge, Notice } from '../../../ui/badge.tsx'
import { When } from '../../../ui/date.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { Sheet, Table } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { TokenAmount, useOperatorProgramme } from '../values.tsx'
import { Findings } from './findings.tsx'

/** The result of one check: findings first, then what was counted. */
export function Run({ run }: { run: ReconcileRun }) {
  const { books: t } = useControlText()
  const { locale } = useLanguage()
  const { badRows, firstBadRows, custody, unsealed, totals, isClean } = run
  const counts = ['users', 'movements', 'postings', 'items', 'records'] as const
  const isShort = custody?.some((each) => each.isShort) === true
  return (
    <div className="grid gap-5">
      <Notice tone={isClean ? 'good' : 'bad'}>
        <p className="font-medium">{isClean ? t.cleanTitle : t.badTitle}</p>
        {!isClean && <p>{t.badText}</p>}
        {isShort && <p>{t.short}</p>}
      </Notice>
      {firstBadRows.length > 0 && (
        <div className="grid gap-2">
          <Findings rows={firstBadRows} />
          {firstBadRows.length < badRows && (
            <p className="text-sm text-soft">{t.firstOf(firstBadRows.length, badRows)}</p>
          )}
        </div>
      )}
      <div className="grid items-start gap-5 text-sm xl:grid-cols-2">
        <Panel title={t.checked}>
          <Facts
            rows={[
              [t.started, <When key="at" at={run.startedAt} />],
              ...counts.map((name) => [t.counts[name], run[name].toLocaleString(locale)] as const),
              [
                t.unsealed,
                <span key="unsealed">
                  {unsealed.movements.toLocaleString(locale)}
                  {unsealed.since !== null && (
                    <>
                      {' '}
                      {t.unsealedSince} <When at={unsealed.since} />
                    </>
                  )}
                </span>,
              ],
            ]}
          />
        </Panel>
        <Totals totals={totals} />
      </div>
      <Custody custody={custody} />
    </div>
  )
}

function Custody({ custody }: Pick<ReconcileRun, 'custody'>) {
  const { books: t } = useControlText()
  const { data: programme } = useOperatorProgramme()
  const rows = custody ?? []
  const chainIds = new Set(programme?.tokens.map(({ chainId }) => chainId))
  const missing = [...chainIds].filter((id) => !rows.some(({ chainId }) => chainId === id))
  return (
    <Section title={t.custody}>
      {rows.length === 0 ? (
        <p className="text-sm text-soft">{t.custodyMissing}</p>
      ) : (
        <Sheet>
          <Table
            label={t.custody}
            rows={rows}
            keyOf={({ chainId, token }) => `${chainId} ${token}`}
            columns={[
              { head: t.chain, cell: ({ chainId }) => chainId },
              {
                head: t.result,
                cell: ({ isShort }) => <Badge tone={isShort ? 'bad' : 'good'}>{isShort ? t.isShort : t.enough}</Badge>,
              },
              {
                head: t.books,
                isNumber: true,
                cell: ({ token, books }) => <TokenAmount token={token} amount={books} />,
              },
              {
                head: t.wallets,
                isNumber: true,
                cell: ({ token, wallets }) => <TokenAmount token={token} amount={wallets} />,
              },
              {
                head: t.depositAddresses,
                isNumber: true,
                cell: ({ token, depositAddresses }) => <TokenAmount token={token} amount={depositAddresses} />,
              },
              {
                head: t.outgoing,
                isNumber: true,
                cell: ({ token, maxOutgoing }) => <TokenAmount token={token} amount={maxOutgoing} />,
              },
              {
                head: t.surplus,
                isNumber: true,
                cell: ({ token, surplus, isShort }) => (
                  <span className={isShort ? 'font-medium text-bad' : ''}>
                    <TokenAmount token={token} amount={surplus} />
                  </span>
                ),
              },
            ]}
          />
        </Sheet>
      )}
      {rows.length > 0 && missing.length > 0 && (
        <p className="text-sm text-warn">{t.custodyWithout(missing.join(', '))}</p>
      )}
    </Section>
  )
}

/** Shows the totals of each token, without the ledger accounts that are zero. */
function Totals({ totals }: Pick<ReconcileRun, 'totals'>) {
  const { books: t } = useControlText()
  const names = Object.keys(t.accounts) as (keyof LedgerAccounts)[]
  return (
    <Panel title={t.totals}>
      {totals.length === 0 ? (
        <p className="text-soft">–</p>
      ) : (
        <div className="grid gap-6">
          {totals.map(({ token, accounts }) => (
            <Facts
              key={token}
              rows={names
                .filter((name) => accounts[name] !== '0')
                .map((name) => [t.accounts[name], <TokenAmount key={name} token={token} amount={accounts[name]} />])}
            />
          ))}
        </div>
      )}
    </Panel>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-3">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  )
}
