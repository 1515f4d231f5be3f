import type { ResultOf } from '@purser/client'
import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSignedIn } from '../lib/session.tsx'
import { isNear } from '../ui/long-list.tsx'
import { poll, pollAfter } from '../ui/poll.ts'

/**
 * Queries that several screens share. The balances and the latest items are polled while the page is visible.
 */

const pollMilliseconds = 4_000

type Programme = ResultOf<'programme.get'>
export type ProgrammeToken = Programme['tokens'][number]
export type BalanceRow = ResultOf<'balances.list'>['data'][number]
type StatementPage = ResultOf<'statement.list'>
export type StatementItem = StatementPage['data'][number]
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
    refetchInterval: poll(pollMilliseconds),
  })
}

export function useCards() {
  const { purser } = useSignedIn()
  return useQuery({
    queryKey: ['cards'],
    queryFn: async () => (await purser.cards.list()).data,
    // The issuer creates a card later if it cannot do so at once.
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'provisioning') === true && pollAfter(pollMilliseconds, state.error),
  })
}

type Filters = NonNullable<Parameters<ReturnType<typeof useSignedIn>['purser']['statement']['list']>[0]>

/** Reads the newest items. */
export function useLatest(filters: Filters) {
  const { purser } = useSignedIn()
  return useQuery({
    queryKey: ['statement', 'latest', filters],
    queryFn: async () => (await purser.statement.list(filters)).data,
    refetchInterval: poll(pollMilliseconds),
  })
}

/**
 * Reads the statement page by page. A refresh reads the newest page and the visible ones again, because a hundred
 * loaded pages would be a hundred requests.
 */
export function useStatement(filters: Filters) {
  const { purser } = useSignedIn()
  const read = (cursor: string) => purser.statement.list({ ...filters, ...(cursor !== '' && { cursor }) })
  return useInfiniteQuery({
    queryKey: ['statement', 'pages', filters],
    async queryFn({ client, queryKey, pageParam }) {
      const loaded = client.getQueryData<InfiniteData<StatementPage, string>>(queryKey)
      const known = loaded?.pages[loaded.pageParams.indexOf(pageParam)]
      if (known === undefined) return read(pageParam)
      if (pageParam === '') return readNewest(read, known)
      return isNear(known.data) ? read(pageParam) : known
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
  })
}

/**
 * Returns the first page with all newer items before it. Its last item stays the same, so that the next page still
 * follows.
 */
async function readNewest(
  read: (cursor: string) => PromiseLike<StatementPage>,
  known: StatementPage,
): Promise<StatementPage> {
  const ids = known.data.map(({ id }) => id)
  let page = await read('')
  const data = [...page.data]
  while (ids.length > 0) {
    const place = ids.indexOf(data.at(-1)?.id ?? '')
    if (place >= 0) return { ...known, data: [...data, ...known.data.slice(place + 1)] }
    if (page.pagination.nextCursor === null) break
    page = await read(page.pagination.nextCursor)
    data.push(...page.data)
  }
  return { ...page, data }
}
