import type { OperatorCommand } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { shortened } from '../../ui/copy.tsx'
import { ErrorNote } from '../../ui/states.tsx'
import { Until } from './age.tsx'
import { useOperator } from './session.tsx'
import { useControlText } from './text/control.ts'
import { useText } from './text.ts'

const maxRead = 200

type Props = {
  readonly commands: readonly OperatorCommand[]
  /** Only proposals about this subject. */
  readonly subject?: string
}

/** The open proposals of these commands, which wait for another person. Shows nothing if there are none. */
export function OpenProposals({ commands, subject }: Props) {
  const { waitsTitle } = useControlText()
  const { decide: t } = useText()
  const { purser } = useOperator()
  const {
    data = [],
    error,
    isLoadingError,
    refetch,
  } = useQuery({
    queryKey: ['operator', 'proposals', 'waiting'],
    queryFn: async () => (await purser.operator.proposals.list({ status: 'open', limit: maxRead })).data,
  })
  if (isLoadingError)
    return (
      <div className="mb-5">
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </div>
    )
  const waiting = data.filter((each) => commands.includes(each.command) && (subject ?? each.subject) === each.subject)
  if (waiting.length === 0) return null
  return (
    <section aria-label={waitsTitle} className="mb-5 rounded-lg bg-warn-tint px-4 py-3 text-sm text-warn">
      <h2 className="font-medium">{waitsTitle}</h2>
      <ul className="mt-1 grid gap-1">
        {waiting.map(({ proposalId, command, subject: about, expiresAt }) => (
          <li key={proposalId} className="flex flex-wrap items-baseline gap-x-2">
            <Link to={`/operator/proposals/${proposalId}`} className="font-medium underline underline-offset-2">
              {t.commands[command]}
            </Link>
            {subject === undefined && <span className="font-mono text-[0.8125rem]">{shortened(about, 20, 8)}</span>}
            <span>
              <Until at={expiresAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
