import type { OperatorCard, StatementItem } from '@purser/client'
import { Badge, type Tone } from './badge.tsx'
import type { UiMessages } from './text/en.ts'
import { useUiText } from './text.ts'

/** The statuses that owners, partners and operators see, in the same words and colors. */

type StatusOf<Item> = Item extends StatementItem ? Pick<Item, 'type' | 'status'> : never
type ItemStatus = StatusOf<StatementItem>

const itemTones: Readonly<Record<ItemStatus['status'], Tone>> = {
  pending: 'warn',
  processing: 'info',
  settled: 'good',
  approved: 'good',
  completed: 'good',
  cancelled: 'neutral',
  declined: 'bad',
  rejected: 'bad',
  failed: 'bad',
}

function itemText({ words }: UiMessages, item: ItemStatus): string {
  switch (item.type) {
    case 'card_transaction':
      return words.transactions[item.status]
    case 'deposit':
      return words.deposits[item.status]
    case 'withdrawal':
      return words.withdrawals[item.status]
  }
}

/** The status of an item of the statement. */
export function ItemBadge({ item }: { item: ItemStatus }) {
  const ui = useUiText()
  return <Badge tone={itemTones[item.status]}>{itemText(ui, item)}</Badge>
}

const cardTones: Readonly<Record<OperatorCard['status'], Tone>> = {
  provisioning: 'info',
  active: 'good',
  blocked: 'warn',
  canceled: 'neutral',
  lost: 'bad',
  stolen: 'bad',
  expired: 'neutral',
}

export function CardBadge({ status }: Pick<OperatorCard, 'status'>) {
  const ui = useUiText()
  return <Badge tone={cardTones[status]}>{ui.words.cards[status]}</Badge>
}
