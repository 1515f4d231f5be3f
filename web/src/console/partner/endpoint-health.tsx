import type { WebhookEndpoint } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSignedIn } from '../../lib/session.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { When } from '../../ui/date.tsx'
import { poll } from '../../ui/poll.ts'
import { ErrorNote } from '../../ui/states.tsx'
import { usePartner, useSentences } from './partner.tsx'
import { useText } from './text.ts'

const shownDeadLetters = 100

export function EndpointStatus({ endpoint: { status, disabledReason, failingSince } }: { endpoint: WebhookEndpoint }) {
  const t = useText()
  if (status === 'disabled') return <Badge tone="bad">{t.webhooks.disabledBy[disabledReason ?? 'partner']}</Badge>
  return failingSince === null ? (
    <Badge tone="good">{t.webhooks.enabled}</Badge>
  ) : (
    <Badge tone="warn">
      <span>
        {t.webhooks.failingSince} <When at={failingSince} />
      </span>
    </Badge>
  )
}

type HealthProps = {
  readonly endpoint: WebhookEndpoint
  /** Aligns the lines at their end, for a place at the end of a row. */
  readonly isEnd?: boolean
}

/** The status of an endpoint, and its dead letters. */
export function EndpointHealth({ endpoint, isEnd = false }: HealthProps) {
  const t = useText()
  const { purser } = useSignedIn()
  const { status } = usePartner()
  const sentences = useSentences('events:read')
  const { endpointId } = endpoint
  const dead = useQuery({
    queryKey: ['dead', endpointId],
    queryFn: async () =>
      purser.partner.webhooks.listDeliveries(endpointId, { status: 'dead', limit: shownDeadLetters }),
    refetchInterval: poll(30_000),
    enabled: status !== 'suspended',
  })
  const count = dead.data?.data.length ?? 0
  return (
    <div className={`inline-flex flex-wrap items-center gap-x-3 gap-y-1 ${isEnd ? 'justify-end' : ''}`}>
      {count > 0 && (
        <Link
          to="/partner/webhooks/$endpointId"
          params={{ endpointId }}
          search={{ status: 'dead' } as never}
          className="text-sm whitespace-nowrap text-bad underline underline-offset-4"
        >
          {t.webhooks.deadLetters(dead.data?.pagination.hasNext === true ? `${count}+` : `${count}`)}
        </Link>
      )}
      {dead.isLoadingError && (
        <ErrorNote error={dead.error} onRetry={() => void dead.refetch()} sentences={sentences} />
      )}
      <EndpointStatus endpoint={endpoint} />
    </div>
  )
}

/**
 * The reasons why no events of users reach an endpoint. They depend on the partner, so all endpoints have the same
 * warnings.
 */
export function Warnings({ of: endpoint }: { of: WebhookEndpoint | undefined }) {
  const { webhooks: t } = useText()
  // The service writes them in English, for programs.
  const textOf = (warning: string) => {
    if (warning.includes('no verified domain')) return t.noDomain
    return warning.includes('deliveries wait') ? t.notActive : warning
  }
  if (endpoint === undefined || endpoint.warnings.length === 0) return null
  return (
    <div className="mb-6">
      <Notice tone="warn">
        <ul className="grid gap-1">
          {endpoint.warnings.map((warning) => (
            <li key={warning}>{textOf(warning)}</li>
          ))}
        </ul>
      </Notice>
    </div>
  )
}
