import type { Review } from '@purser/client'
import { Link } from '@tanstack/react-router'
import { useTitle } from '../../../lib/session.tsx'
import { Badge } from '../../../ui/badge.tsx'
import type { UiMessages } from '../../../ui/text/en.ts'
import { useUiText } from '../../../ui/text.ts'
import { Age } from '../age.tsx'
import { useOperator } from '../session.tsx'
import { PagedTable, ScreenHead, usePages } from '../table.tsx'
import { linkClass, MinorAmount, UserLink } from '../values.tsx'
import { CloseReview } from './close-review.tsx'
import { useReviewText } from './text.ts'

/** Open reviews of all users. A card transaction is reviewed on its own screen. */
export function Reviews() {
  const t = useReviewText()
  const ui = useUiText()
  const { purser } = useOperator()
  useTitle(t.title)
  const pages = usePages(['reviews'], (cursor) =>
    purser.operator.reviews.list({ ...(cursor !== undefined && { cursor }) }),
  )
  return (
    <>
      <ScreenHead title={t.title} text={t.lead} />
      <PagedTable
        label={t.title}
        pages={pages}
        keyOf={({ reviewId }) => reviewId}
        empty={{ title: t.emptyTitle, text: t.emptyText }}
        columns={[
          { head: t.subject, cell: (review) => <Subject review={review} /> },
          { head: t.status, cell: ({ status }) => <Badge tone="warn">{statusText(ui, status)}</Badge> },
          {
            head: t.amount,
            isNumber: true,
            cell: ({ amount, currency }) =>
              amount === null ? t.wholeAmount : <MinorAmount amount={amount} currency={currency} />,
          },
          { head: t.user, cell: ({ userId }) => <UserLink userId={userId} /> },
          { head: t.since, cell: ({ createdAt }) => <Age since={createdAt} /> },
          {
            head: t.action,
            isNumber: true,
            cell: ({ reviewId }) => <CloseReview reviewId={reviewId} label={t.close} />,
          },
        ]}
      />
    </>
  )
}

const isMessage = ({ status }: Review) => status === 'deferred'

/** A deferred message belongs to no card transaction yet, so it has no screen. */
function Subject({ review }: { review: Review }) {
  const ui = useUiText()
  const words: Readonly<Record<string, string>> = isMessage(review) ? ui.words.messages : ui.words.kinds
  const kind = words[review.kind] ?? review.kind
  if (isMessage(review)) return kind
  return (
    <Link
      to={`/operator/users/${review.userId}/card-transactions/${review.reviewId}`}
      className={`${linkClass} font-medium`}
    >
      {kind}
    </Link>
  )
}

function statusText({ words }: UiMessages, status: string): string {
  const texts: Readonly<Record<string, string>> = { ...words.transactions, deferred: words.outcomes.deferred }
  return texts[status] ?? status
}
