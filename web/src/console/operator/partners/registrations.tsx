import type { OperatorPartner } from '@purser/client'
import type { ReactNode } from 'react'
import { serviceNow } from '../../../lib/facts.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { DecideButton } from '../deciding.tsx'
import { Sheet, Table } from '../table.tsx'
import { useControlText } from '../text/control.ts'

/** Everything that a partner registered. Secrets are never read, not even their hashes. */
export function Registrations({ partner }: { partner: OperatorPartner }) {
  const c = useControlText()
  const { partners: t } = c
  const { members, domains, apiKeys, endpoints, kycClients } = partner
  return (
    <>
      <Section title={t.members} count={members.length}>
        <Table
          label={t.members}
          rows={members}
          keyOf={({ address }) => address}
          columns={[
            { head: t.wallet, cell: ({ address }) => <CopyId id={address} /> },
            { head: t.role, cell: ({ role }) => t.roles[role] },
            { head: t.since, cell: ({ createdAt }) => <When at={createdAt} /> },
          ]}
        />
      </Section>
      <Section title={t.domains} count={domains.length}>
        <Table
          label={t.domains}
          rows={domains}
          keyOf={({ domain, environment }) => `${environment} ${domain}`}
          columns={[
            { head: t.domain, cell: ({ domain }) => <span className="font-medium wrap-anywhere">{domain}</span> },
            { head: t.environment, cell: ({ environment }) => environment },
            {
              head: t.verified,
              cell: ({ verifiedAt }) =>
                verifiedAt === null ? <Badge tone="warn">{t.notVerified}</Badge> : <When at={verifiedAt} />,
            },
          ]}
        />
      </Section>
      <Section title={t.apiKeys} count={apiKeys.length}>
        <Table
          label={t.apiKeys}
          rows={apiKeys}
          keyOf={({ keyId }) => keyId}
          columns={[
            {
              head: t.key,
              cell: ({ name, lastCharacters }) => (
                <>
                  {name} <code className="text-soft">…{lastCharacters}</code>
                </>
              ),
            },
            {
              head: t.scopes,
              cell: ({ scopes }) => <span className="font-mono text-xs wrap-anywhere">{scopes.join(' ')}</span>,
            },
            { head: t.keyState, cell: (key) => <KeyBadge apiKey={key} /> },
            { head: t.since, cell: ({ createdAt }) => <When at={createdAt} /> },
          ]}
        />
      </Section>
      <Section title={t.endpoints} count={endpoints.length}>
        <Table
          label={t.endpoints}
          rows={endpoints}
          keyOf={({ endpointId }) => endpointId}
          columns={[
            { head: t.endpoint, cell: ({ url }) => <span className="wrap-anywhere">{url}</span> },
            { head: t.status, cell: (endpoint) => <EndpointBadge endpoint={endpoint} /> },
            { head: c.id, cell: ({ endpointId }) => <CopyId id={endpointId} /> },
            {
              head: c.action,
              isNumber: true,
              cell: ({ endpointId, url }) => (
                <DecideButton request={{ command: 'webhooks resend', subject: endpointId }}>
                  {t.resend} <span className="sr-only">{url}</span>
                </DecideButton>
              ),
            },
          ]}
        />
      </Section>
      <Section title={t.kycClients} count={kycClients.length}>
        <Table
          label={t.kycClients}
          rows={kycClients}
          keyOf={({ clientId }) => clientId}
          columns={[
            { head: t.client, cell: ({ clientId }) => <CopyId id={clientId} isWhole /> },
            { head: t.since, cell: ({ createdAt }) => <When at={createdAt} /> },
          ]}
        />
      </Section>
    </>
  )
}

function Section({ title, count, children }: { title: string; count: number; children: ReactNode }) {
  const { partners: t } = useControlText()
  return (
    <section className="grid gap-3">
      <h2 className="font-semibold">{title}</h2>
      {count === 0 ? <p className="text-sm text-soft">{t.nothing}</p> : <Sheet>{children}</Sheet>}
    </section>
  )
}

function KeyBadge({ apiKey: { revokedAt, expiresAt } }: { apiKey: OperatorPartner['apiKeys'][number] }) {
  const { partners: t } = useControlText()
  if (revokedAt !== null) return <Badge>{t.revoked}</Badge>
  if (expiresAt !== null && Date.parse(expiresAt) <= serviceNow()) return <Badge>{t.expired}</Badge>
  return <Badge tone="good">{t.live}</Badge>
}

/** An enabled endpoint may be failing. Its deliveries are then retried. */
export function EndpointBadge({ endpoint }: { endpoint: OperatorPartner['endpoints'][number] }) {
  const { partners: t } = useControlText()
  const { status, failingSince } = endpoint
  if (failingSince !== null)
    return (
      <span className="inline-flex flex-wrap items-baseline gap-x-2">
        <Badge tone="bad">{status === 'disabled' ? t.disabled : t.failing}</Badge>
        <span className="text-soft">
          {t.failingSince} <When at={failingSince} />
        </span>
      </span>
    )
  return <Badge tone={status === 'enabled' ? 'good' : 'neutral'}>{t[status]}</Badge>
}
