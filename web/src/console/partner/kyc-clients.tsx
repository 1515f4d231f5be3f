import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { TextField } from '../../ui/field.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { poll } from '../../ui/poll.ts'
import { Empty, Loaded } from '../../ui/states.tsx'
import { DataTable, TableSkeleton } from '../../ui/table.tsx'
import { usePartner, useSentences } from './partner.tsx'
import { Confirm, Failure } from './parts.tsx'
import { useText } from './text.ts'

/** The companies at the KYC provider that users may share their identity verification with. */
export function KycClients() {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const queries = useQueryClient()
  const sentences = useSentences()
  const [clientId, setClientId] = useState('')
  const [removed, setRemoved] = useState<string | null>(null)
  useTitle(t.kyc.title)
  const refresh = () => queries.invalidateQueries({ queryKey: ['kyc-clients'] })
  const clients = useQuery({
    queryKey: ['kyc-clients'],
    queryFn: async () => (await purser.partner.kycClients.list()).data,
    refetchInterval: poll(30_000),
  })
  const add = useMutation({
    mutationFn: async (id: string) => purser.partner.kycClients.add({ clientId: id }),
    async onSuccess() {
      setClientId('')
      await refresh()
    },
  })
  return (
    <>
      <PageHead title={t.kyc.title} text={t.kyc.lead} />
      <div className="grid grid-cols-1 gap-6">
        {can('kyc-clients:write') && (
          <Panel>
            <form
              className="grid gap-4"
              onSubmit={(event) => {
                event.preventDefault()
                add.mutate(clientId.trim())
              }}
            >
              <div className="flex flex-wrap items-start gap-3">
                <div className="min-w-0 grow basis-64 sm:max-w-md">
                  <TextField
                    label={t.kyc.client}
                    hint={t.kyc.hint}
                    required
                    pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,99}"
                    value={clientId}
                    onChange={(event) => setClientId(event.currentTarget.value)}
                  />
                </div>
                <Button type="submit" look="secondary" className="sm:mt-6.5" isPending={add.isPending}>
                  {t.kyc.add}
                </Button>
              </div>
              <Failure mutation={add} permission="kyc-clients:write" />
            </form>
          </Panel>
        )}
        <Panel isFlush>
          <Loaded query={clients} loading={<TableSkeleton rows={2} />} sentences={sentences}>
            {(list) =>
              list.length === 0 ? (
                <Empty title={t.kyc.emptyTitle} text={t.kyc.emptyText} />
              ) : (
                <DataTable
                  label={t.kyc.title}
                  rows={list}
                  keyOf={({ clientId: id }) => id}
                  columns={[
                    { head: t.kyc.client, cell: ({ clientId: id }) => <CopyId id={id} isWhole /> },
                    { head: t.created, cell: ({ createdAt }) => <When at={createdAt} form="day" /> },
                    {
                      head: t.action,
                      isEnd: true,
                      cell: ({ clientId: id }) =>
                        can('kyc-clients:write') && (
                          <Button look="danger" size="sm" onClick={() => setRemoved(id)}>
                            {t.remove}
                          </Button>
                        ),
                    },
                  ]}
                />
              )
            }
          </Loaded>
        </Panel>
      </div>
      {removed !== null && (
        <Confirm
          title={t.kyc.removeTitle(removed)}
          text={t.kyc.removeText}
          action={t.remove}
          permission="kyc-clients:write"
          onConfirm={async () => {
            await purser.partner.kycClients.remove(removed)
            await refresh()
          }}
          onClose={() => setRemoved(null)}
        />
      )}
    </>
  )
}
