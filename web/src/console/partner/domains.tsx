import type { Domain } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isSandbox } from '../../lib/facts.ts'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { useCloseIfOpen } from '../../ui/dialog.tsx'
import { Segments, SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { poll } from '../../ui/poll.ts'
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx'
import { usePartner, useSentences } from './partner.tsx'
import { Confirm, Failure } from './parts.tsx'
import { useText } from './text.ts'

const environments = ['sandbox', 'production'] as const

/** The domains whose pages sign users in, each with the proof that it needs. */
export function Domains() {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const sentences = useSentences()
  const [isClaiming, setClaiming] = useState(false)
  useTitle(t.domains.title)
  const domains = useQuery({
    queryKey: ['domains'],
    queryFn: async () => (await purser.partner.domains.list()).data,
    refetchInterval: poll(30_000),
  })
  const claim = can('domains:write') && <Button onClick={() => setClaiming(true)}>{t.domains.claim}</Button>
  return (
    <>
      <PageHead title={t.domains.title} text={t.domains.lead} actions={claim} />
      <Loaded query={domains} loading={<Skeleton className="h-64" />} sentences={sentences}>
        {(list) =>
          list.length === 0 ? (
            <Panel isFlush>
              <Empty title={t.domains.emptyTitle} text={t.domains.emptyText} />
            </Panel>
          ) : (
            <div className="grid grid-cols-1 gap-4">
              {list.map((domain) => (
                <DomainPanel key={domain.domain} domain={domain} />
              ))}
            </div>
          )
        }
      </Loaded>
      {isClaiming && <Claim onClose={() => setClaiming(false)} />}
    </>
  )
}

function Claim({ onClose }: { onClose: () => void }) {
  const t = useText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const [domain, setDomain] = useState('')
  const [environment, setEnvironment] = useState<Domain['environment']>(isSandbox ? 'sandbox' : 'production')
  const close = useCloseIfOpen(onClose)
  const claim = useMutation({
    mutationFn: async () => purser.partner.domains.claim({ domain: domain.trim(), environment }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['domains'] })
      close()
    },
  })
  return (
    <FormDialog
      title={t.domains.claim}
      text={t.domains.claimText}
      action={t.domains.claim}
      isPending={claim.isPending}
      onClose={onClose}
      onSubmit={() => claim.mutate()}
    >
      <TextField
        label={t.domains.domain}
        hint={t.domains.domainHint}
        placeholder="app.example.com"
        required
        value={domain}
        onChange={(event) => setDomain(event.currentTarget.value)}
      />
      {isSandbox && (
        <SelectField
          label={t.domains.environment}
          value={environment}
          options={environments.map((value) => ({ value, label: t.domains.environments[value] }))}
          onPick={(value) => setEnvironment(environments.find((each) => each === value) ?? 'sandbox')}
        />
      )}
      <Failure mutation={claim} permission="domains:write" />
    </FormDialog>
  )
}

function DomainPanel({ domain: { domain, environment, verifiedAt, createdAt, proof } }: { domain: Domain }) {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const queries = useQueryClient()
  const [isRemoving, setRemoving] = useState(false)
  const [place, setPlace] = useState('dns')
  const refresh = () => queries.invalidateQueries()
  const verify = useMutation({ mutationFn: async () => purser.partner.domains.verify(domain), onSuccess: refresh })
  const isVerified = verifiedAt !== null
  // A service in production verifies no domain that was claimed for a sandbox.
  const isElsewhere = environment === 'sandbox' && !isSandbox
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="wrap-anywhere">{domain}</span>
          <Badge tone={isVerified ? 'good' : 'warn'}>{isVerified ? t.domains.verified : t.domains.notVerified}</Badge>
          {environment === 'sandbox' && <Badge>{t.domains.environments.sandbox}</Badge>}
        </span>
      }
      action={
        can('domains:write') && (
          <Button look="danger" size="sm" onClick={() => setRemoving(true)}>
            {t.remove}
          </Button>
        )
      }
    >
      <p className="text-sm text-soft">
        {isVerified ? t.domains.verifiedAt : t.domains.claimedAt} <When at={verifiedAt ?? createdAt} />
      </p>
      {isElsewhere && <p className="mt-4 max-w-prose text-sm">{t.domains.onlySandbox}</p>}
      {!isVerified && !isElsewhere && (
        <div className="mt-4 grid grid-cols-1 gap-4">
          <p className="max-w-prose text-sm">{t.domains.proofText}</p>
          <div className="max-w-xs">
            <Segments
              label={t.domains.place}
              value={place}
              options={[
                { value: 'dns', label: t.domains.dns },
                { value: 'file', label: t.domains.file },
              ]}
              onPick={setPlace}
            />
          </div>
          {place === 'dns' ? (
            <ProofPair
              nameLabel={t.domains.dnsName}
              name={proof.dnsName}
              textLabel={t.domains.dnsText}
              text={proof.dnsText}
            />
          ) : (
            <ProofPair nameLabel={t.domains.url} name={proof.url} textLabel={t.domains.urlText} text={proof.urlText} />
          )}
          <Failure mutation={verify} permission="domains:write" />
          {can('domains:write') && (
            <Button className="justify-self-start" isPending={verify.isPending} onClick={() => verify.mutate()}>
              {t.domains.check}
            </Button>
          )}
        </div>
      )}
      {isRemoving && (
        <Confirm
          title={t.domains.removeTitle(domain)}
          text={t.domains.removeText}
          action={t.remove}
          permission="domains:write"
          onConfirm={async () => {
            await purser.partner.domains.remove(domain)
            await refresh()
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </Panel>
  )
}

type Pair = { readonly nameLabel: string; readonly name: string; readonly textLabel: string; readonly text: string }

function ProofPair({ nameLabel, name, textLabel, text }: Pair) {
  return (
    <dl className="grid gap-3 xl:grid-cols-2">
      {[
        [nameLabel, name],
        [textLabel, text],
      ].map(([label = '', value = '']) => (
        <div key={label} className="min-w-0">
          <dt className="mb-1 text-sm font-medium">{label}</dt>
          <dd>
            <CodeBlock label={label} code={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
