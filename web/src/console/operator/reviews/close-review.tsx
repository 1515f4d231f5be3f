import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { useOperator } from '../session.tsx'
import { SignDecision } from '../sign-decision.tsx'

/** Closes the review of a card transaction or of a deferred message, with a signature. */
export function CloseReview({ reviewId, label }: { reviewId: string; label: string }) {
  const { may } = useOperator()
  const [isAsking, setAsking] = useState(false)
  if (!may('reviews:write')) return null
  return (
    <>
      <Button look="secondary" size="sm" onClick={() => setAsking(true)}>
        {label}
      </Button>
      <SignDecision
        request={isAsking ? { command: 'reviews done', subject: reviewId } : null}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
