/** The messages about deposits, in the list of all users and in the list of one. */
export const deposits = {
  title: 'Deposits',
  lead: 'Oldest first.',
  filter: 'State',
  states: { depositsFrozen: 'Rejected', depositsWaiting: 'In processing', transfersUntold: 'Unknown arrival' },
  emptyTitles: {
    depositsFrozen: 'No rejected deposit waits',
    depositsWaiting: 'No deposit is in processing',
    transfersUntold: 'Every transfer has a known arrival',
  },
  emptyTexts: {
    depositsFrozen: 'A deposit appears here if the screening rejects it. You can then return it to its sender.',
    depositsWaiting: 'A deposit appears here until its block is final and it is screened.',
    transfersUntold: 'A transfer appears here if no node knows how much of it arrived.',
  },
  user: 'User',
  amount: 'Amount',
  from: 'Sender',
  transaction: 'Transaction',
  chainOf: (chainId: number) => `Chain ${chainId}`,
  screening: 'Screening',
  risk: (tier: string, score: number) => `${tier} risk, ${score}`,
  id: 'Deposit',
  action: 'Action',
  statuses: { pending: 'In processing', approved: 'Credited', rejected: 'Rejected' },
  status: 'Status',
  chainStates: { unfinal: 'Not final', final: 'Final', reorganized: 'Reorganized' },
  screenings: { pending: 'Pending', approved: 'Approved', rejected: 'Rejected' },
  returns: { signed: 'Return ordered', returned: 'Returned' },
  giveBack: 'Return',
  declare: 'Declare arrival',
  declareText: 'Declare how much of the transfer arrived at the deposit address. Look it up in an explorer first.',
  declared: 'Arrived amount',
  declaredHint: (symbol: string) => `In ${symbol}, such as 12.5. Enter 0 if nothing arrived.`,
  next: 'Continue',
}

export type DepositMessages = typeof deposits
