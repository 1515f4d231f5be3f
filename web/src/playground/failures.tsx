import type { UseQueryResult } from '@tanstack/react-query'
import { Loaded } from '../ui/states.tsx'

type Query = Pick<UseQueryResult<unknown>, 'data' | 'error' | 'dataUpdatedAt'> & { refetch(): unknown }

/** Shows the first failure of queries whose data is shown elsewhere. "Try again" repeats every query that failed. */
export function Failures({ queries }: { queries: readonly Query[] }) {
  const failed = queries.filter(({ error }) => error !== null)
  const [first] = failed
  if (first === undefined) return null
  const refetch = () => Promise.all(failed.map((query) => query.refetch()))
  return (
    <Loaded query={{ ...first, refetch }} loading={null}>
      {() => null}
    </Loaded>
  )
}
