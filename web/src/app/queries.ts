import type { ResultOf } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useSignedIn } from '../lib/session.tsx'

/** Queries of several pages. Everything that the chain or the network changes is read again while the page is visible. */

const pollMilliseconds = 4_000

type Programme = ResultOf<'programme.get'>
export type ProgrammeToken = Programme['tokens'][number]
export type BalanceRow = ResultOf<'balances.list'>['data'][number]
export type StatementItem = ResultOf<'statement.list'>['data'][number]
export type CardRecord = ResultOf<'cards.list'>['data'][number]

export function useProgramme() {
  const { purser } = useSignedIn()
  return useQuery({ queryKey: ['programme'], queryFn: async () => purser.programme.get(), staleTime: 300_000 })
}

export function useUser() {
  const { purser } = useSignedIn()
  return useQuery({ queryKey: ['user'], queryFn: async () => purser.user.get(), staleTime: 30_000 })
}

export function useBalances() {
  const { purser } = useSignedIn()
  return useQuery({
    queryKey: ['balances'],
    queryFn: async () => (await purser.balances.list()).data,
    refetchInterval: pollMilliseconds,
  })
}

export function useCards() {
  const { purser } = useSignedIn()
  return useQuery({ queryKey: ['cards'], queryFn: async () => (await purser.cards.list()).data })
}

type Filters = NonNullable<Parameters<ReturnType<typeof useSignedIn>['purser']['statement']['list']>[0]>

/** Reads the newest items. */
export function useLatest(filters: Filters) {
  const { purser } = useSignedIn()
  return useQuery({
    queryKey: ['statement', 'latest', filters],
    queryFn: async () => (await purser.statement.list(filters)).data,
    refetchInterval: pollMilliseconds,
  })
}
