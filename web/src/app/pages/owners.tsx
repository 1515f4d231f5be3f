import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { signStatement } from '../../lib/approval.ts'
import { type Picked, useSession, useSignedIn } from '../../lib/session.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { Dialog, useCloseIfOpen } from '../../ui/dialog.tsx'
import { Panel } from '../../ui/layout.tsx'
import { ErrorNote, Loaded, Skeleton } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { WalletPicker } from '../../ui/wallet-picker.tsx'
import { useUser } from '../queries.ts'
import { useText } from '../text.ts'

/** The wallets that may sign in. Each change needs a signature of an owner, not only the session. */
export function Owners() {
  const { settings: t } = useText()
  const { purser, wallet } = useSignedIn()
  const user = useUser()
  const queries = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<string | null>(null)
  const owners = useQuery({ queryKey: ['owners'], queryFn: async () => (await purser.owners.list()).data })
  const userId = user.data?.userId ?? ''

  async function add({ adapter }: Picked) {
    const address = typeof adapter.address === 'string' ? adapter.address : await adapter.address()
    const proof = await signStatement(purser, adapter, `Add this wallet as an owner of user ${userId}.`)
    const approval = await signStatement(purser, wallet.adapter, `Add wallet ${address} as an owner of user ${userId}.`)
    await purser.owners.add({ ...proof, approval })
    setAdding(false)
    await queries.invalidateQueries({ queryKey: ['owners'] })
  }

  return (
    <Panel
      title={t.owners}
      action={
        <Button look="secondary" size="sm" disabled={userId === ''} onClick={() => setAdding(true)}>
          {t.addOwner}
        </Button>
      }
    >
      <p className="text-sm text-soft">{t.ownersText}</p>
      <Loaded query={owners} loading={<Skeleton className="h-20" />}>
        {(list) => (
          <ul className="divide-y divide-line">
            {list.map(({ address, createdAt }) => (
              <li key={address} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
                <span className="flex items-center gap-2">
                  <CopyId id={address} /> {address === wallet.address && <Badge tone="good">{t.you}</Badge>}
                </span>
                <span className="flex items-center gap-3 text-sm text-soft">
                  <When at={createdAt} form="day" />
                  {list.length > 1 && (
                    <Button look="danger" size="sm" disabled={userId === ''} onClick={() => setRemoved(address)}>
                      {t.remove}
                    </Button>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Dialog isOpen={isAdding} onClose={() => setAdding(false)} title={t.addTitle} text={t.addText}>
        <WalletPicker onPick={add} />
      </Dialog>
      {removed !== null && <Remove address={removed} userId={userId} onClose={() => setRemoved(null)} />}
    </Panel>
  )
}

type RemoveProps = { readonly address: string; readonly userId: string; readonly onClose: () => void }

/** The mutation ends with the dialog, so the dialog of one wallet never shows the failure of another. */
function Remove({ address, userId, onClose }: RemoveProps) {
  const { settings: t } = useText()
  const ui = useUiText()
  const { signOut } = useSession()
  const { purser, wallet } = useSignedIn()
  const queries = useQueryClient()
  const remove = useMutation({
    async mutationFn() {
      const statement = `Remove wallet ${address} as an owner of user ${userId}.`
      await purser.owners.remove(address, { approval: await signStatement(purser, wallet.adapter, statement) })
      if (address === wallet.address) await signOut(ui.signIn.lostAccess)
      else await queries.invalidateQueries({ queryKey: ['owners'] })
    },
    onSuccess: useCloseIfOpen(onClose),
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.removeTitle}
      text={t.removeText}
      actions={
        <Button look="danger" isPending={remove.isPending} onClick={() => remove.mutate()}>
          {t.remove}
        </Button>
      }
    >
      {remove.error !== null && <ErrorNote error={remove.error} />}
    </Dialog>
  )
}
