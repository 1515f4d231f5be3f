import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { signStatement } from '../../lib/approval.ts'
import { useSession, useSignedIn, useTitle } from '../../lib/session.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Facts, PageHead, Panel } from '../../ui/layout.tsx'
import { pollAfter } from '../../ui/poll.ts'
import { ErrorNote, Loaded, Skeleton } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { useProgramme, useUser } from '../queries.ts'
import { useText } from '../text.ts'
import { Owners } from './owners.tsx'

export function Settings() {
  const { settings: t } = useText()
  useTitle(t.title)
  const programme = useProgramme()
  return (
    <>
      <PageHead title={t.title} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <div className="grid gap-6">
          <Profile />
          <Sessions />
        </div>
        <div className="grid gap-6">
          <Owners />
          {programme.data?.features.ibans === true && <Iban />}
          {programme.isLoadingError && <ErrorNote error={programme.error} onRetry={() => void programme.refetch()} />}
          <Sharing />
          <CloseAccount />
        </div>
      </div>
    </>
  )
}

function Profile() {
  const { settings: t } = useText()
  const user = useUser()
  return (
    <Panel title={t.profile}>
      <Loaded query={user} loading={<Skeleton className="h-40" />}>
        {({ email, country, userId, kycStatus, account }) => (
          <Facts
            rows={[
              [t.email, email ?? '–'],
              [t.country, country ?? '–'],
              [t.kyc, t.kycStatuses[kycStatus]],
              [t.account, account === null ? '–' : <CopyId key="account" id={account.address} />],
              [t.user, <CopyId key="user" id={userId} />],
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const shownSessions = 5

function Sessions() {
  const { settings: t } = useText()
  const ui = useUiText()
  const { purser } = useSignedIn()
  const { signOut } = useSession()
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: async () => (await purser.sessions.list()).data })
  const endAll = useMutation({ mutationFn: async () => purser.auth.logOutEverywhere(), onSuccess: () => signOut() })
  const [isWhole, setWhole] = useState(false)
  return (
    <Panel
      title={t.sessions}
      action={
        <Button look="secondary" size="sm" isPending={endAll.isPending} onClick={() => endAll.mutate()}>
          {t.endAll}
        </Button>
      }
    >
      {endAll.error !== null && <ErrorNote error={endAll.error} />}
      <Loaded query={sessions} loading={<Skeleton className="h-24" />}>
        {(list) => (
          <>
            <ul className="-mt-2 divide-y divide-line">
              {list
                .slice(0, isWhole ? undefined : shownSessions)
                .map(({ sessionId, domain, signedInAt, expiresAt, isCurrent }) => (
                  <li key={sessionId} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2.5">
                    <span className="flex flex-wrap items-center gap-2">
                      {domain} {isCurrent && <Badge tone="good">{t.current}</Badge>}
                    </span>
                    <span className="text-sm text-soft">
                      <When at={signedInAt} /> · {t.expires} <When at={expiresAt} />
                    </span>
                  </li>
                ))}
            </ul>
            {list.length > shownSessions && !isWhole && (
              <Button look="secondary" size="sm" className="mt-2" onClick={() => setWhole(true)}>
                {ui.more}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function Iban() {
  const { settings: t } = useText()
  const { purser, wallet } = useSignedIn()
  const queries = useQueryClient()
  const iban = useQuery({
    queryKey: ['iban'],
    async queryFn() {
      const [{ data: details }, { data }] = await Promise.all([purser.ibans.get(), purser.ibans.getAvailability()])
      return { ...details, isAvailable: data.available }
    },
    refetchInterval: ({ state }) => state.data?.ibanStatus === 'PENDING' && pollAfter(3_000, state.error),
  })
  const request = useMutation({
    async mutationFn() {
      const { data } = await purser.ibans.getSigningMessage()
      const signature = await wallet.adapter.signMessage({ message: data.message })
      return purser.ibans.activate({ signature })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['iban'] }),
  })
  return (
    <Panel title={t.iban}>
      <Loaded query={iban} loading={<Skeleton className="h-16" />}>
        {({ iban: number, bic, ibanStatus, address, isAvailable }) =>
          number !== null ? (
            <Facts
              rows={[
                ['IBAN', <CopyId key="iban" id={number} isWhole />],
                ['BIC', bic ?? '–'],
                [t.ibanPayee, address === null ? '–' : <CopyId key="payee" id={address} isWhole />],
              ]}
            />
          ) : ibanStatus === 'PENDING' ? (
            <p className="text-soft">{t.ibanPending}</p>
          ) : (
            <div className="grid justify-items-start gap-4">
              <p className="text-soft">{isAvailable ? t.ibanNone : t.ibanUnavailable}</p>
              {isAvailable && <p className="text-soft">{t.ibanText}</p>}
              {isAvailable && (
                <Button look="secondary" isPending={request.isPending} onClick={() => request.mutate()}>
                  {t.ibanRequest}
                </Button>
              )}
              {request.error !== null && <ErrorNote error={request.error} />}
            </div>
          )
        }
      </Loaded>
    </Panel>
  )
}

function Sharing() {
  const { settings: t } = useText()
  const { purser } = useSignedIn()
  const [client, setClient] = useState('')
  const share = useMutation({ mutationFn: async () => purser.kyc.share({ forClientId: client }) })
  return (
    <Panel title={t.sharing}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          share.mutate()
        }}
      >
        <p className="text-soft">{t.sharingText}</p>
        <TextField
          label={t.client}
          required
          value={client}
          onChange={(event) => setClient(event.currentTarget.value)}
        />
        {share.error !== null && <ErrorNote error={share.error} />}
        {share.data !== undefined && (
          <>
            <CodeBlock label={t.sharing} code={share.data.token} />
            <p className="text-sm text-soft">{t.shareOnce}</p>
          </>
        )}
        <Button type="submit" look="secondary" className="justify-self-start" isPending={share.isPending}>
          {t.share}
        </Button>
      </form>
    </Panel>
  )
}

function CloseAccount() {
  const { settings: t } = useText()
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel title={t.close}>
      <p className="text-soft">{t.closeText}</p>
      <Button look="danger" className="mt-4" onClick={() => setOpen(true)}>
        {t.closeAction}
      </Button>
      {isOpen && <CloseDialog onClose={() => setOpen(false)} />}
    </Panel>
  )
}

/** The mutation ends with the dialog, so the dialog never shows the failure of an earlier attempt. */
function CloseDialog({ onClose }: { onClose: () => void }) {
  const { settings: t } = useText()
  const { purser, wallet } = useSignedIn()
  const { signOut } = useSession()
  const user = useUser()
  const close = useMutation({
    async mutationFn(userId: string) {
      const approval = await signStatement(purser, wallet.adapter, `Close user ${userId} permanently.`)
      return purser.user.close({ approval })
    },
    onSuccess: () => signOut(`${t.closedTitle}. ${t.closedText}`),
  })
  const userId = user.data?.userId
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.closeTitle}
      text={t.closeText}
      actions={
        <Button
          look="danger"
          disabled={userId === undefined}
          isPending={close.isPending}
          onClick={() => userId !== undefined && close.mutate(userId)}
        >
          {t.closeAction}
        </Button>
      }
    >
      {close.error !== null && <ErrorNote error={close.error} />}
    </Dialog>
  )
}
