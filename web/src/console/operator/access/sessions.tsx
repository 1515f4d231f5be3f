import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTitle } from '../../../lib/session.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { ErrorNote, Loaded } from '../../../ui/states.tsx'
import { readAll } from '../read-all.ts'
import { useOperator } from '../session.tsx'
import { ScreenHead, Sheet, SkeletonTable, Table } from '../table.tsx'
import { useText } from '../text.ts'

/** Open sessions. Ending one needs no signature, because it only removes access. */
export function Sessions() {
  const { sessions: t } = useText()
  const { purser, may, operator, leave } = useOperator()
  const queries = useQueryClient()
  useTitle(t.title)
  const sessions = useQuery({
    queryKey: ['operator', 'sessions'],
    queryFn: () => readAll(purser.operator.sessions.list({ limit: 100 })),
  })
  const ending = useMutation({
    mutationFn: async (sessionId: string) => purser.operator.sessions.end(sessionId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['operator', 'sessions'] }),
  })
  const endingAll = useMutation({
    mutationFn: async () => purser.operator.sessions.endAll(),
    onSuccess: leave,
  })
  return (
    <>
      <ScreenHead
        title={t.title}
        text={may('sessions:read') ? t.leadAll : t.leadOwn}
        actions={
          <Button look="secondary" size="sm" isPending={endingAll.isPending} onClick={() => endingAll.mutate()}>
            {t.endAll}
          </Button>
        }
      />
      {[ending.error, endingAll.error].map((error, index) => error !== null && <ErrorNote key={index} error={error} />)}
      <Loaded query={sessions} loading={<Sheet children={<SkeletonTable />} />}>
        {(rows) => (
          <Sheet>
            <Table
              label={t.title}
              rows={rows}
              keyOf={({ sessionId }) => sessionId}
              columns={[
                { head: t.wallet, cell: ({ address }) => <CopyId id={address} /> },
                {
                  head: t.via,
                  cell: ({ via, isCurrent }) => (
                    <span className="inline-flex items-center gap-2">
                      {t.vias[via]} {isCurrent && <Badge tone="good">{t.current}</Badge>}
                    </span>
                  ),
                },
                { head: t.signedIn, cell: ({ signedInAt }) => <When at={signedInAt} /> },
                { head: t.used, cell: ({ usedAt }) => <When at={usedAt} /> },
                { head: t.expires, cell: ({ expiresAt }) => <When at={expiresAt} /> },
                {
                  head: t.action,
                  isNumber: true,
                  cell: ({ sessionId, address, isCurrent }) =>
                    isCurrent || !(may('sessions:end') || address === operator.address) ? null : (
                      <Button
                        look="secondary"
                        size="sm"
                        isPending={ending.isPending && ending.variables === sessionId}
                        onClick={() => ending.mutate(sessionId)}
                      >
                        {t.end}
                      </Button>
                    ),
                },
              ]}
            />
          </Sheet>
        )}
      </Loaded>
    </>
  )
}
