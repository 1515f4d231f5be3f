import { useState } from 'react'
import { BackLink } from '../ui/back-link.tsx'
import { Button, LinkButton } from '../ui/button.tsx'
import { Bars } from '../ui/chart.tsx'
import { TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { History } from '../ui/history.tsx'
import { LongList } from '../ui/long-list.tsx'
import { Matrix, PermissionName } from '../ui/matrix.tsx'
import { Missing } from '../ui/missing.tsx'
import { Money } from '../ui/money.tsx'
import { Pages, usePagedRows } from '../ui/pages.tsx'
import { QrCode } from '../ui/qr.tsx'
import { SideNav } from '../ui/side-nav.tsx'
import { Empty, ErrorNote, Forbidden, Loaded, Skeleton, SkeletonRows } from '../ui/states.tsx'
import { ItemBadge } from '../ui/status.tsx'
import { DataTable, TableSkeleton } from '../ui/table.tsx'
import { useUiText } from '../ui/text.ts'
import { Initial, WalletPicker } from '../ui/wallet-picker.tsx'
import { address, days, failure, history, payments, rateLimit, stale, tokens } from './design-samples.ts'
import { Section } from './design-section.tsx'
import { Conflict } from './partner/endpoint-settings.tsx'
import { SecretPanel } from './partner/parts.tsx'
import { useText } from './text.ts'

/** The components that show data, and the states of every screen. */

type Payment = (typeof payments)[number]

const nothing = () => undefined

function usePaymentColumns() {
  const { design: t } = useText()
  return [
    { head: t.merchant, cell: ({ merchant }: Payment) => <span className="wrap-anywhere">{merchant}</span> },
    {
      head: t.status,
      cell: ({ status }: Payment) => <ItemBadge item={{ type: 'card_transaction', status }} />,
    },
    {
      head: t.amount,
      isEnd: true,
      cell: ({ amount }: Payment) => <Money amount={amount} decimals={2} currency="EUR" />,
    },
  ]
}

export function DataSections() {
  const { design: t } = useText()
  const ui = useUiText()
  const columns = usePaymentColumns()
  const pages = usePagedRows<Payment>(['design'], async (place) =>
    place === undefined ? { rows: payments.slice(0, 2), next: '2' } : { rows: payments.slice(2), next: null },
  )
  const [isFormOpen, setFormOpen] = useState(false)
  return (
    <>
      <Section title={t.table} isFlush>
        <DataTable label={t.table} columns={columns} rows={payments} keyOf={({ id }) => id} />
      </Section>
      <Section title={t.matrix} isFlush>
        <Matrix
          label={t.matrix}
          head={t.matrix}
          rows={['users:read', 'users:details']}
          columns={['Owner', 'Developer', 'Viewer']}
          rowHead={(permission) => <PermissionName name={permission} />}
          columnHead={(role) => role}
          has={(permission, role) => permission === 'users:read' || role === 'Owner'}
        />
      </Section>
      <Section title={t.pages} isFlush>
        <Pages pages={pages} label={t.pages} columns={columns} keyOf={({ id }) => id} empty={t.emptyTitle} />
      </Section>
      <Section title={t.longList} isFlush>
        <LongList pages={[payments]} keyOf={({ id }) => id} rowHeight={56} hasMore={false}>
          {({ merchant, amount }) => (
            <div className="flex min-h-14 items-center gap-3 px-4 sm:px-6">
              <Initial name={merchant} />
              <span className="min-w-0 grow truncate">{merchant}</span>
              <Money amount={amount} decimals={2} currency="EUR" />
            </div>
          )}
        </LongList>
      </Section>
      <Section title={t.chart}>
        <Bars days={days} label={t.chartLabel} />
      </Section>
      <Section title={t.qr}>
        <QrCode text={address} label={t.qrLabel} />
      </Section>
      <Section title={t.timeline}>
        <History history={history} spendableMinor={7_700n} tokens={tokens} />
      </Section>
      <Section title={t.navigation}>
        <BackLink to="/playground">{ui.back}</BackLink>
        <SideNav
          label={t.title}
          groups={[
            { label: null, items: [{ label: t.title, to: '/design' }] },
            { label: ui.more, items: [{ label: t.home, to: '/playground' }] },
          ]}
        />
        <LinkButton look="secondary" className="justify-self-start" to="/playground">
          {t.home}
        </LinkButton>
      </Section>
      <Section title={t.wallets}>
        <WalletPicker onPick={async () => undefined} />
      </Section>
      <Section title={t.form}>
        <Button look="secondary" className="justify-self-start" onClick={() => setFormOpen(true)}>
          {t.openForm}
        </Button>
        {isFormOpen && (
          <FormDialog
            title={t.form}
            text={t.sample}
            action={ui.save}
            onClose={() => setFormOpen(false)}
            onSubmit={() => setFormOpen(false)}
          >
            <TextField label={t.fieldLabel} hint={t.fieldHint} defaultValue="Groceries" />
          </FormDialog>
        )}
      </Section>
    </>
  )
}

const endpoint = { url: 'https://partner.example/hook', description: '', events: ['*'] }

export function StateSections() {
  const { design: t } = useText()
  const ui = useUiText()
  return (
    <>
      <Section title={t.loading}>
        <Skeleton className="h-8 w-2/3" />
        <SkeletonRows count={2} />
        <TableSkeleton rows={2} />
      </Section>
      <Section title={t.empty}>
        <Empty title={t.emptyTitle} text={t.emptyText} action={<Button size="sm">{ui.save}</Button>} />
        <Missing home="/playground" />
      </Section>
      <Section title={t.errors}>
        <ErrorNote error={failure} onRetry={nothing} />
        <ErrorNote error={rateLimit} onRetry={nothing} />
      </Section>
      <Section title={t.stale}>
        <Loaded query={stale} loading={null}>
          {(amount) => <p className="text-2xl font-semibold">{amount}</p>}
        </Loaded>
      </Section>
      <Section title={t.forbidden}>
        <Forbidden permission="webhooks:write" text={t.forbiddenText} />
      </Section>
      <Section title={t.conflict}>
        <Conflict
          mine={endpoint}
          theirs={{ ...endpoint, url: 'https://partner.example/new-hook' }}
          isPending={false}
          onTake={nothing}
          onOverwrite={nothing}
        />
      </Section>
      <SecretPanel title={t.secret} text={t.secretText} secret="example-not-a-secret" onDone={nothing} />
    </>
  )
}
