import { PurserError } from '@purser/client'
import { queryOptions } from '@tanstack/react-query'
import type { Sandbox } from './sandbox.ts'

/** The newest block of the attached chain; null: the sandbox simulates the chain. */
export const chainQuery = ({ purser }: Sandbox) =>
  queryOptions({
    queryKey: ['chain'],
    async queryFn() {
      try {
        return await purser.sandbox.chain.getHead()
      } catch (error) {
        if (error instanceof PurserError && error.code === 'NO_CHAIN') return null
        throw error
      }
    },
    refetchInterval: ({ state }) => (state.data === null ? false : 5_000),
    staleTime: ({ state }) => (state.data === null ? Number.POSITIVE_INFINITY : 1_000),
  })
