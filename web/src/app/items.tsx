import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode, useState } from 'react'
import { useSignedIn } from '../lib/session.tsx'
import { Notice } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { CopyId, shortened } from '../ui/copy.tsx'
import { When } from '../ui/date.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Facts } from '../ui/layout.tsx'
import { LongList } from '../ui/long-list.tsx'
import { Money } from '../ui/money.tsx'
import { ErrorNote } from '../ui/states.tsx'
import { ItemBadge } from '../ui/status.tsx'
import { declineText, useUiText } from '../ui/text.ts'
import { type StatementItem, useProgramme } from './queries.ts'
import { useText } from './text.ts'

/** Rows of the statement. A card payment opens its history; the others open a dialog. */

type Card = Extract<StatementItem, { type: 'card_transaction' }>
type Transfer = Exclude<StatementItem, { type: 'card_transaction' }>

/** Finished items need no badge: the amount is enough. */
const isFinished = ({ status }: StatementItem) =>
  status === 'settled' || status === 'approved' || status === 'completed'

export function ItemList({ items }: { items: readonly StatementItem[] }) {
  const { open, dialog } = useTransferDialog([items])
  return (
    <>
      <ul className="divide-y divide-line">
        {items.map((item) => (
          <li key={item.id}>
            <ItemRow item={item} onOpen={open} />
          </li>
        ))}
      </ul>
      {dialog}
    </>
  )
}

/** The newest rows of a kind. If there are more, it says so and leads to them. */
export function RecentList({
  items,
  max,
  type,
}: {
  items: readonly StatementItem[]
  max: number
  type: StatementItem['type']
}) {
  const { home: t } = useText()
  const ui = useUiText()
  return (
    <>
      <ItemList items={items.slice(0, max)} />
      {items.length > max && (
        <p className="flex flex-wrap gap-x-3 border-t border-line px-4 py-3 text-sm text-soft sm:px-6">
          {ui.truncated(max)}
          <Link to="/statement" search={{ type } as never} className="text-accent hover:underline">
            {t.all}
          </Link>
        </p>
      )}
    </>
  )
}

/** The same rows for thousands of items, in pages. */
export function LongItemList({ pages, hasMore }: { pages: readonly StatementItem[][]; hasMore: boolean }) {
  const { open, dialog } = useTransferDialog(pages)
  return (
    <>
      <LongList pages={pages} hasMore={hasMore} keyOf={idOf} rowHeight={rowPixels}>
        {(item) => <ItemRow item={item} onOpen={open} isInStatement />}
      </LongList>
      {dialog}
    </>
  )
}

const rowPixels = 73
const idOf = ({ id }: StatementItem) => id

function useTransferDialog(pages: readonly (readonly StatementItem[])[]) {
  const [opened, open] = useState<Transfer | null>(null)
  // A refresh of the list replaces its items, so the opened one is found again in its newest state.
  const current = opened === null ? null : (pages.flat().find(({ id }) => id === opened.id) ?? opened)
  const dialog = current !== null && current.type !== 'card_transaction' && (
    <TransferDialog item={current} onClose={() => open(null)} />
  )
  return { open, dialog }
}

const row = 'flex w-full items-center gap-4 px-4 py-3.5 text-left hover:bg-sunken sm:px-6'

type ItemRowProps = {
  readonly item: StatementItem
  readonly onOpen: (item: Transfer) => void
  readonly isInStatement?: boolean
}

const ItemRow = memo(({ item, onOpen, isInStatement = false }: ItemRowProps) =>
  item.type === 'card_transaction' ? (
    <PaymentRow item={item} isInStatement={isInStatement} />
  ) : (
    <TransferRow item={item} onOpen={() => onOpen(item)} />
  ),
)

function PaymentRow({ item, isInStatement }: { item: Card; isInStatement: boolean }) {
  const ui = useUiText()
  return (
    <Link to="/statement/$paymentId" params={{ paymentId: item.id }} state={{ isInStatement }} className={row}>
      <Avatar>{item.merchant.name.slice(0, 1).toUpperCase()}</Avatar>
      <Content title={item.merchant.name} item={item}>
        {item.kind !== 'Payment' && <span>{ui.words.kinds[item.kind]}</span>}
        {item.declineReason !== null && <span className="text-bad">{declineText(ui, item.declineReason)}</span>}
      </Content>
      <Amount item={item} />
    </Link>
  )
}

function TransferRow({ item, onOpen }: { item: Transfer; onOpen: () => void }) {
  const { items: t } = useText()
  const isDeposit = item.type === 'deposit'
  return (
    <button type="button" onClick={onOpen} className={row}>
      <Avatar>
        <svg viewBox="0 0 16 16" className={`size-4 ${isDeposit ? '' : 'rotate-180'}`} aria-hidden="true">
          <path
            d="M8 2.500v10M3.500 8.500L8 13l4.500-4.500"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.600"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
      </Avatar>
      <Content title={isDeposit ? t.deposit : t.withdrawal} item={item}>
        <span className="font-mono text-xs leading-5 max-sm:hidden">
          {shortened(isDeposit ? item.fromAddress : item.toAddress)}
        </span>
      </Content>
      <Amount item={item} />
    </button>
  )
}

function Avatar({ children }: { children: ReactNode }) {
  return (
    <span
      aria-hidden="true"
      className="grid size-9 shrink-0 place-items-center rounded-full bg-sunken text-sm font-semibold text-soft"
    >
      {children}
    </span>
  )
}

/** Each part has a dot before it. The dot of the first part of a line lies outside of the box and is clipped. */
const dotted =
  "-ml-3.5 flex flex-wrap *:whitespace-normal *:relative *:pl-3.5 *:before:absolute *:before:left-1 *:before:w-1.5 *:before:text-center *:before:text-soft *:before:content-['·']"

function Content({ title, item, children }: { title: string; item: StatementItem; children: ReactNode }) {
  return (
    <span className="min-w-0 grow">
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="truncate font-medium">{title}</span>
        {!isFinished(item) && <ItemBadge item={item} />}
      </span>
      <span className="block overflow-clip text-sm text-soft">
        <span className={dotted}>
          {children}
          <When at={item.createdAt} />
        </span>
      </span>
    </span>
  )
}

function Amount({ item }: { item: StatementItem }) {
  const isVoid =
    item.status === 'declined' || item.status === 'cancelled' || item.status === 'failed' || item.status === 'rejected'
  const look = isVoid ? 'text-soft line-through' : item.isCredit ? 'text-good' : ''
  return (
    <span className="text-right">
      <Money
        {...item}
        currency={item.type === 'card_transaction' ? item.currency : item.fiatCurrency}
        isCredit={item.isCredit}
        className={`font-medium ${look}`}
      />
      {item.type !== 'card_transaction' && <span className="block text-xs text-soft">{item.currency}</span>}
    </span>
  )
}

function TransferDialog({ item, onClose }: { item: Transfer; onClose: () => void }) {
  const { items: t } = useText()
  const isDeposit = item.type === 'deposit'
  const programme = useProgramme()
  const explorer = programme.data?.chains.find(({ chainId }) => chainId === item.chainId)?.explorerUrl ?? null
  return (
    <Dialog isOpen onClose={onClose} title={isDeposit ? t.deposit : t.withdrawal}>
      {isDeposit && item.status === 'rejected' && <Notice tone="bad">{rejectionOf(item, t)}</Notice>}
      {isDeposit && item.status === 'pending' && <Notice tone="warn">{t.notFinal}</Notice>}
      {!isDeposit && item.status === 'pending' && <Notice tone="warn">{t.waits}</Notice>}
      {!isDeposit && item.status === 'processing' && <Notice>{t.onItsWay}</Notice>}
      <Facts
        rows={[
          [t.amount, <Money key="amount" {...item} isCredit={item.isCredit} className="font-semibold" />],
          [t.status, <ItemBadge key="status" item={item} />],
          [t.time, <When key="time" at={item.createdAt} />],
          isDeposit
            ? [t.from, <CopyId key="from" id={item.fromAddress} />]
            : [t.to, <CopyId key="to" id={item.toAddress} />],
          [t.chain, String(item.chainId)],
          [t.transaction, item.txHash === null ? t.notSent : <CopyId key="hash" id={item.txHash} />],
        ]}
      />
      {explorer !== null && item.txHash !== null && (
        <a href={`${explorer}/tx/${item.txHash}`} target="_blank" rel="noreferrer" className="text-accent underline">
          {t.explorer}
        </a>
      )}
      {item.type === 'withdrawal' && item.status === 'pending' && <CancelWithdrawal withdrawalId={item.id} />}
    </Dialog>
  )
}

/** Returns why a deposit is not spendable. The note at the end of its description tells the reasons apart. */
function rejectionOf({ description }: Transfer, t: ReturnType<typeof useText>['items']): string {
  if (description.endsWith('(REORGED)')) return t.reorganized
  return description.endsWith('(RETURNED)') ? t.returned : t.rejected
}

function CancelWithdrawal({ withdrawalId }: { withdrawalId: string }) {
  const { items: t } = useText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: async () => purser.withdrawals.cancel(withdrawalId),
    // A conflict means that the withdrawal has moved on, so its new state is shown.
    onSettled: () => queries.invalidateQueries(),
  })
  return (
    <>
      {cancel.error !== null && <ErrorNote error={cancel.error} />}
      <Button look="danger" isPending={cancel.isPending} onClick={() => cancel.mutate()}>
        {t.cancel}
      </Button>
    </>
  )
}
