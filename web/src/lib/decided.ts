import { type ErrorKind, PurserError } from '@purser/client'
import { useRef } from 'react'
import { randomId } from './random-id.ts'

const decidedKinds: readonly ErrorKind[] = ['validation', 'rule', 'conflict']

/**
 * Whether a failed request has surely changed nothing. The service checks limits, sessions and permissions before it
 * looks for a stored response. Their errors therefore say nothing about an earlier attempt with the same key.
 */
export const isDecided = (error: unknown): boolean =>
  error instanceof PurserError && !error.retryable && decidedKinds.includes(error.kind)

/** Returns a request that acts once: it keeps its idempotency key for the same input until its outcome is known. */
export function useOnce<Input, Output>(
  run: (input: Input, options: { readonly idempotencyKey: string }) => Promise<Output>,
): (input: Input) => Promise<Output> {
  const open = useRef<{ readonly text: string; readonly idempotencyKey: string } | null>(null)
  return async (input) => {
    const text = JSON.stringify(input)
    if (open.current?.text !== text) open.current = { text, idempotencyKey: randomId() }
    try {
      const output = await run(input, { idempotencyKey: open.current.idempotencyKey })
      open.current = null
      return output
    } catch (error) {
      if (isDecided(error)) open.current = null
      throw error
    }
  }
}
