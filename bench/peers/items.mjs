const currencies = {
  EUR: { symbol: '€', code: 'EUR', decimals: 2, name: 'Euro' },
  GBP: { symbol: '£', code: 'GBP', decimals: 2, name: 'British Pound' },
  USD: { symbol: '$', code: 'USD', decimals: 2, name: 'US Dollar' },
}

/** Converts a row of the union to an item of the interface. */
export function toItem(row) {
  return row.type === 'card_transaction' ? cardItem(row) : chainItem(row)
}

function cardItem(row) {
  return {
    type: row.type,
    id: row.id,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    decimals: row.decimals,
    originalAmount: row.originalAmount,
    originalCurrency: row.originalCurrency,
    originalDecimals: row.originalDecimals,
    isCredit: row.isCredit,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    description: row.description,
    authorizationId: row.authorizationId,
    mcc: row.mcc,
    authorizationCode: row.authorizationCode,
    merchant: {
      name: row.merchantName,
      city: row.merchantCity,
      country: row.merchantCountry,
      categoryCode: row.mcc,
    },
    entryMode: row.entryMode,
    billing: { billingAmount: row.amount, billingCurrency: currencies[row.currency] },
    transactionCurrency: currencies[row.originalCurrency],
    cardId: row.cardId,
    cardToken: row.cardToken,
    clearedAt: row.clearedAt?.toISOString() ?? null,
    isPending: row.status === 'pending',
    kind: row.kind,
    transactions: [],
    declineReason: row.declineCode === null ? null : { code: row.declineCode, message: row.declineMessage },
    wallet: null,
  }
}

function chainItem(row) {
  const address = row.type === 'deposit' ? { fromAddress: row.fromAddress } : { toAddress: row.toAddress }
  return {
    type: row.type,
    id: row.id,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    decimals: row.decimals,
    fiatCurrency: row.fiatCurrency,
    isCredit: row.isCredit,
    createdAt: row.createdAt.toISOString(),
    description: row.description,
    txHash: row.txHash,
    ...address,
    chainId: row.chainId,
  }
}
