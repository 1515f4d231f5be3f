import { expect } from 'vitest'

/** The shapes of responses in the interface. No field may be missing or added. */

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
export const amount = /^(0|[1-9][0-9]*)$/
export const txHash = /^0x[0-9a-f]{64}$/
export const address = /^0x[0-9a-fA-F]{40}$/

export const plain = (error: string) => ({ success: false, error })

/** Returns null if an error body has a shape of the interface's section "Errors", else the difference. */
export function problemOfError(url: string, status: number, body: any): string | null {
  const path = url.split('?', 1)[0] ?? ''
  const is = (...wanted: string[]) =>
    body !== null && typeof body === 'object' && Object.keys(body).sort().join() === wanted.sort().join()
  const isText = (value: unknown) => typeof value === 'string' && value !== ''
  const isPlain = is('success', 'error') && body.success === false && isText(body.error)
  const isValidation =
    is('kind', 'success', 'error') &&
    body.kind === 'validation' &&
    body.success === false &&
    Object.keys(body.error).sort().join() === 'message,name' &&
    body.error.name === 'ValidationError' &&
    isText(body.error.message)

  function isRight(): boolean {
    if (path.startsWith('/api/v1/kyc/') || path.startsWith('/api/v1/ibans/')) {
      return status < 500 ? is('message') && isText(body.message) : is('error') && isText(body.error)
    }
    if (path === '/health/ready' && status === 503) return true
    if (path === '/api/v1/auth/challenge' && status === 401) {
      return is('success', 'error', 'message') && body.success === false && isText(body.error) && isText(body.message)
    }
    if (status !== 400) return isPlain
    if (path !== '/user/statement') return isValidation || isPlain
    return isValidation || (is('kind', 'success', 'error') && body.kind === 'business' && isText(body.error))
  }
  return isRight() ? null : `${status} has no body that the interface knows: ${JSON.stringify(body)}`
}

export function expectValidation(answer: { status: number; body: any }): void {
  expect(answer).toMatchObject({ status: 400, body: { kind: 'validation', error: { name: 'ValidationError' } } })
}

const currencyMetadata = {
  symbol: expect.toBeOneOf([expect.any(String), null]),
  code: expect.stringMatching(/^[A-Z]{3}$/),
  decimals: expect.any(Number),
  name: expect.toBeOneOf([expect.any(String), null]),
}

const orNull = (wanted: unknown) => expect.toBeOneOf([wanted, null])

const cardTransaction = {
  type: 'card_transaction',
  id: expect.any(String),
  status: expect.stringMatching(/^(pending|settled|cancelled|declined)$/),
  amount: expect.stringMatching(amount),
  currency: expect.stringMatching(/^[A-Z]{3}$/),
  decimals: expect.any(Number),
  originalAmount: expect.stringMatching(amount),
  originalCurrency: expect.stringMatching(/^[A-Z]{3}$/),
  originalDecimals: expect.any(Number),
  isCredit: expect.any(Boolean),
  createdAt: expect.stringMatching(instant),
  updatedAt: expect.stringMatching(instant),
  description: expect.any(String),
  authorizationId: expect.any(Number),
  mcc: expect.stringMatching(/^\d{4}$/),
  authorizationCode: expect.any(String),
  merchant: {
    name: expect.any(String),
    city: orNull(expect.any(String)),
    country: expect.any(String),
    categoryCode: expect.any(String),
  },
  entryMode: expect.any(String),
  billing: { billingAmount: expect.stringMatching(amount), billingCurrency: currencyMetadata },
  transactionCurrency: currencyMetadata,
  cardId: expect.stringMatching(uuid),
  cardToken: orNull(expect.any(String)),
  clearedAt: orNull(expect.stringMatching(instant)),
  isPending: expect.any(Boolean),
  kind: expect.stringMatching(/^(Payment|Refund|Reversal)$/),
  transactions: [],
  declineReason: orNull({ code: expect.any(String), message: expect.any(String) }),
  wallet: null,
}

const transfer = {
  id: expect.any(String),
  amount: expect.stringMatching(amount),
  currency: expect.any(String),
  decimals: expect.any(Number),
  fiatCurrency: expect.stringMatching(/^[A-Z]{3}$/),
  createdAt: expect.stringMatching(instant),
  description: expect.any(String),
  chainId: expect.any(Number),
}

const deposit = {
  ...transfer,
  type: 'deposit',
  status: expect.stringMatching(/^(pending|approved|rejected)$/),
  isCredit: true,
  txHash: expect.stringMatching(txHash),
  fromAddress: expect.stringMatching(address),
}

const withdrawal = {
  ...transfer,
  type: 'withdrawal',
  status: expect.stringMatching(/^(pending|processing|completed|failed)$/),
  isCredit: false,
  txHash: orNull(expect.stringMatching(txHash)),
  toAddress: expect.stringMatching(address),
}

/** Asserts that a statement item has exactly the fields of the interface, and that they are consistent. */
export function expectStatementItem(item: any): void {
  expect(item).toStrictEqual({ card_transaction: cardTransaction, deposit, withdrawal }[item.type as string])
  if (item.type !== 'card_transaction') return
  expect(item.isPending).toBe(item.status === 'pending')
  expect(item.declineReason !== null).toBe(item.status === 'declined')
  expect(Number.isSafeInteger(item.authorizationId) && item.authorizationId > 0).toBe(true)
  if (item.status === 'settled') expect(item.clearedAt).not.toBeNull()
  expect(item.merchant.categoryCode).toBe(item.mcc)
}
