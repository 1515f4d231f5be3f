/** The messages about reviews. */
export const reviews = {
  title: 'Reviews',
  lead: 'Card transactions that were posted but look wrong, and messages that wait for another message. Oldest first.',
  emptyTitle: 'Nothing to review',
  emptyText: 'A card transaction appears here if it clears without an authorization, for example.',
  subject: 'To review',
  status: 'Status',
  amount: 'Amount',
  wholeAmount: 'Whole amount',
  user: 'User',
  since: 'Waiting for',
  action: 'Action',
  close: 'Close',
  closeReview: 'Close the review',
  needed: 'This card transaction needs a review. Check its messages and postings, then close the review.',
}

export type ReviewMessages = typeof reviews
