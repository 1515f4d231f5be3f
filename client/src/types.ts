import type { operations } from './api.ts'

/** The operations of the OpenAPI document, such as `cards.create`. */
export type OperationId = keyof operations

type JsonOf<T> = T extends { content: { 'application/json': infer Json } }
  ? Json
  : T extends { content: infer Contents }
    ? Contents[keyof Contents]
    : undefined

/** The body of an operation's request. */
export type BodyOf<Id extends OperationId> = JsonOf<NonNullable<operations[Id]['requestBody']>>

/** The query of an operation. */
export type QueryOf<Id extends OperationId> = NonNullable<operations[Id]['parameters']['query']>

/** The data of an operation's successful response. */
export type ResultOf<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & (200 | 201 | 202 | 204)]: JsonOf<operations[Id]['responses'][Status]>
}[keyof operations[Id]['responses'] & (200 | 201 | 202 | 204)]

/** The options of one call. */
export type CallOptions = {
  /** Ends the call, its retries included. */
  readonly signal?: AbortSignal
  /** The time for each attempt. The default is the client's. */
  readonly timeoutMilliseconds?: number
  /** The number of retries. The default is the client's. */
  readonly maxRetries?: number
  /** Replaces the generated key. Use one key per intended change, and store it before the call to survive a crash. */
  readonly idempotencyKey?: string
  /** The W3C trace context of this call. */
  readonly traceparent?: string
  /** Further headers of the request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The query of an operation that also takes a body. */
  readonly query?: Query
}

export type Query = Readonly<Record<string, string | number | boolean | Date | undefined>>
