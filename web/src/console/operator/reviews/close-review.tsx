import { DecideButton } from '../deciding.tsx'

/** Closes the review of a card transaction or of a deferred message, with a signature. */
export function CloseReview({ reviewId, label }: { reviewId: string; label: string }) {
  return <DecideButton request={{ command: 'reviews done', subject: reviewId }}>{label}</DecideButton>
}
