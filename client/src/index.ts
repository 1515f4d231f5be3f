export type { components, operations, paths } from './api.ts'
export { type Auth, accessToken, apiKey, operatorToken, simulator } from './auth.ts'
export type { Call, List, Reply } from './call.ts'
export type { ErrorCode } from './error-codes.ts'
export {
  type ErrorKind,
  type InvalidField,
  PurserConnectionError,
  PurserError,
  PurserTimeoutError,
} from './errors.ts'
export type * from './models.ts'
export { type FormatOptions, formatAmount, type Money, moneyOf, parseAmount } from './money.ts'
export { createPurser, type Purser, type PurserOptions, type RawRequest } from './purser.ts'
export type { Resources } from './resources.ts'
export type { Attempt, Hooks } from './transport.ts'
export type { BodyOf, CallOptions, OperationId, Query, QueryOf, ResultOf } from './types.ts'
export {
  type OperatorOptions,
  operatorSession,
  type SessionOptions,
  type WalletSession,
  walletSession,
} from './wallet-session.ts'
export { eip1193Wallet, ethersWallet, type TypedData, viemWallet, type WalletAdapter } from './wallets.ts'
