import { useQuery } from '@tanstack/react-query'
import { CopyId } from '../../ui/copy.tsx'
import { readAll } from './read-all.ts'
import { useOperator } from './session.tsx'
import { useControlText } from './text/control.ts'

/** Reads all operators, whose names many screens show. */
export function useOperators() {
  const { purser } = useOperator()
  return useQuery({
    queryKey: ['operator', 'operators'],
    queryFn: () => readAll(purser.operator.operators.list({ limit: 100 })),
  })
}

/** Shows an operator by the name of the person. Unknown wallets and names of break-glass decisions stay as they are. */
export function OperatorName({ by }: { by: string | null }) {
  const t = useControlText()
  const { operator } = useOperator()
  const { data } = useOperators()
  if (by === null) return '–'
  const name = data?.find(({ address }) => address.toLowerCase() === by.toLowerCase())?.name
  if (!by.startsWith('0x')) return by
  return (
    <>
      {name} {by.toLowerCase() === operator.address.toLowerCase() && <span className="text-soft">({t.you})</span>}{' '}
      <CopyId id={by} />
    </>
  )
}
