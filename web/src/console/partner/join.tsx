import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { TextField } from '../../ui/field.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { poll } from '../../ui/poll.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { useSentences } from './partner.tsx'
import { Failure } from './parts.tsx'
import { useText } from './text.ts'

/** For a wallet that is a member of no partner: its invitations, or a new partner. */
export function Join() {
  const t = useText()
  const { purser, wallet } = useSignedIn()
  const queries = useQueryClient()
  const sentences = useSentences()
  const [name, setName] = useState('')
  useTitle(t.join.title)
  // Also after an error: if only the response was lost, the wallet is a member now.
  const enter = () => queries.invalidateQueries({ queryKey: ['partner'] })
  const invitations = useQuery({
    queryKey: ['received'],
    queryFn: async () => (await purser.invitations.list()).data,
    refetchInterval: poll(10_000),
  })
  const accept = useMutation({ mutationFn: async (id: string) => purser.invitations.accept(id), onSettled: enter })
  const decline = useMutation({
    mutationFn: async (id: string) => purser.invitations.decline(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['received'] }),
  })
  const create = useMutation({ mutationFn: async () => purser.partner.create({ name }), onSettled: enter })
  return (
    <div className="mx-auto max-w-2xl">
      <PageHead title={t.join.title} text={t.join.lead} />
      <div className="grid grid-cols-1 gap-6">
        <Panel title={t.join.create}>
          <form
            className="grid gap-4"
            onSubmit={(event) => {
              event.preventDefault()
              create.mutate()
            }}
          >
            <TextField
              label={t.join.name}
              hint={t.join.nameHint}
              required
              maxLength={100}
              pattern=".*\S.*"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Failure mutation={create} />
            <Button type="submit" className="justify-self-start" isPending={create.isPending}>
              {t.join.submit}
            </Button>
          </form>
        </Panel>
        <Panel title={t.join.invitations}>
          <Loaded query={invitations} loading={<Skeleton className="h-24" />} sentences={sentences}>
            {(list) =>
              list.length === 0 ? (
                <div className="grid gap-3 text-sm text-soft">
                  <p>{t.join.noInvitation}</p>
                  <p>
                    <CopyId id={wallet.address} isWhole />
                  </p>
                </div>
              ) : (
                <ul className="divide-y divide-line">
                  {list.map(({ invitationId, partnerName, role, expiresAt }) => (
                    <li key={invitationId} className="flex flex-wrap items-center justify-between gap-3 py-3">
                      <div className="min-w-0">
                        <p className="flex flex-wrap items-center gap-2 font-medium">
                          {partnerName} <Badge>{t.roles[role]}</Badge>
                        </p>
                        <p className="text-sm text-soft">
                          {t.join.until} <When at={expiresAt} />
                        </p>
                      </div>
                      <div className="flex gap-2">
                        <Button
                          look="secondary"
                          size="sm"
                          isPending={decline.isPending}
                          onClick={() => decline.mutate(invitationId)}
                        >
                          {t.join.decline}
                        </Button>
                        <Button size="sm" isPending={accept.isPending} onClick={() => accept.mutate(invitationId)}>
                          {t.join.accept}
                        </Button>
                      </div>
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
          <Failure mutation={accept} />
          <Failure mutation={decline} />
        </Panel>
      </div>
    </div>
  )
}
