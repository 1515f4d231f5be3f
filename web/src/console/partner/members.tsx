import type { Invitation, Member } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession, useSignedIn, useTitle } from '../../lib/session.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyId, shortened } from '../../ui/copy.tsx'
import { When } from '../../ui/date.tsx'
import { useCloseIfOpen } from '../../ui/dialog.tsx'
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { Matrix, PermissionName } from '../../ui/matrix.tsx'
import { poll } from '../../ui/poll.ts'
import { Loaded } from '../../ui/states.tsx'
import { DataTable, TableSkeleton } from '../../ui/table.tsx'
import { type MemberRole, type Permission, useActor, usePartner, useSentences } from './partner.tsx'
import { ActorName, Confirm, Failure } from './parts.tsx'
import { roles, rolesWith } from './roles.ts'
import { useText } from './text.ts'

const roleOf = (text: string): MemberRole => roles.find((role) => role === text) ?? 'viewer'

/** The wallets that work for the partner, its invitations, and the permissions of each role. */
export function Members() {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const sentences = useSentences()
  const [isInviting, setInviting] = useState(false)
  useTitle(t.members.title)
  const members = useQuery({
    queryKey: ['members'],
    queryFn: async () => (await purser.partner.members.list()).data,
    refetchInterval: poll(30_000),
  })
  const invitations = useQuery({
    queryKey: ['invitations'],
    queryFn: async () => (await purser.partner.invitations.list()).data,
    refetchInterval: poll(30_000),
  })
  return (
    <>
      <PageHead
        title={t.members.title}
        text={t.members.lead}
        actions={can('members:write') && <Button onClick={() => setInviting(true)}>{t.members.invite}</Button>}
      />
      <div className="grid grid-cols-1 gap-6">
        <Panel title={t.members.list} isFlush>
          <Loaded query={members} loading={<TableSkeleton rows={2} />} sentences={sentences}>
            {(list) => <MemberTable members={list} />}
          </Loaded>
        </Panel>
        <Panel title={t.members.invitations} isFlush>
          <Loaded query={invitations} loading={<TableSkeleton rows={1} />} sentences={sentences}>
            {(list) =>
              list.length === 0 ? (
                <p className="px-4 pb-5 text-sm text-soft sm:px-6">{t.members.noInvitations}</p>
              ) : (
                <InvitationTable invitations={list} />
              )
            }
          </Loaded>
        </Panel>
        <RoleMatrix />
      </div>
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </>
  )
}

function MemberTable({ members }: { members: readonly Member[] }) {
  const t = useText()
  const { can } = usePartner()
  const actor = useActor()
  const [changed, setChanged] = useState<Member | null>(null)
  const [removed, setRemoved] = useState<string | null>(null)
  const isOwn = (address: string) => actor === `wallet:${address}`
  return (
    <>
      <DataTable
        label={t.members.list}
        rows={members}
        keyOf={({ address }) => address}
        columns={[
          {
            head: t.members.wallet,
            cell: ({ address }) => (
              <span className="inline-flex flex-wrap items-center gap-2">
                <CopyId id={address} /> {isOwn(address) && <Badge tone="good">{t.you}</Badge>}
              </span>
            ),
          },
          { head: t.members.role, cell: ({ role }) => t.roles[role] },
          { head: t.members.since, cell: ({ createdAt }) => <When at={createdAt} form="day" /> },
          {
            head: t.action,
            isEnd: true,
            cell: (member) => (
              <span className="inline-flex flex-wrap gap-1 max-md:justify-end">
                {can('members:write') && (
                  <Button look="secondary" size="sm" onClick={() => setChanged(member)}>
                    {t.members.changeRole}
                  </Button>
                )}
                {(can('members:write') || isOwn(member.address)) && (
                  <Button look="danger" size="sm" onClick={() => setRemoved(member.address)}>
                    {isOwn(member.address) ? t.members.leave : t.remove}
                  </Button>
                )}
              </span>
            ),
          },
        ]}
      />
      {changed !== null && <ChangeRole member={changed} onClose={() => setChanged(null)} />}
      {removed !== null && <Remove address={removed} isOwn={isOwn(removed)} onClose={() => setRemoved(null)} />}
    </>
  )
}

function ChangeRole({ member, onClose }: { member: Member; onClose: () => void }) {
  const t = useText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const [role, setRole] = useState(member.role)
  const change = useMutation({
    mutationFn: async () => purser.partner.members.update(member.address, { role }),
    onSettled: () => queries.invalidateQueries(),
    onSuccess: useCloseIfOpen(onClose),
  })
  return (
    <FormDialog
      title={t.members.changeRoleTitle(shortened(member.address))}
      text={t.members.changeRoleText}
      action={t.members.changeRole}
      isPending={change.isPending}
      isDisabled={role === member.role}
      onClose={onClose}
      onSubmit={() => change.mutate()}
    >
      <SelectField
        label={t.members.role}
        hint={t.roleTexts[role]}
        value={role}
        options={roles.map((value) => ({ value, label: t.roles[value] }))}
        onPick={(value) => setRole(roleOf(value))}
      />
      <Failure mutation={change} permission="members:write" />
    </FormDialog>
  )
}

function Remove({ address, isOwn, onClose }: { address: string; isOwn: boolean; onClose: () => void }) {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const { signOut } = useSession()
  const queries = useQueryClient()
  const [keepsKeys, setKeepsKeys] = useState(false)
  return (
    <Confirm
      title={isOwn ? t.members.leaveTitle : t.members.removeTitle(shortened(address))}
      text={isOwn ? t.members.leaveText : t.members.removeText}
      action={isOwn ? t.members.leave : t.remove}
      permission="members:write"
      onConfirm={async () => {
        await purser.partner.members.remove(address, { keepKeys: keepsKeys ? 'true' : 'false' })
        await (isOwn ? signOut() : queries.invalidateQueries())
      }}
      onClose={onClose}
    >
      {can('members:write') && (
        <Checkbox
          label={t.members.keepKeys}
          hint={t.members.keepKeysHint}
          checked={keepsKeys}
          onChange={(event) => setKeepsKeys(event.currentTarget.checked)}
        />
      )}
    </Confirm>
  )
}

function InvitationTable({ invitations }: { invitations: readonly Invitation[] }) {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: async (id: string) => purser.partner.invitations.revoke(id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  })
  return (
    <>
      <DataTable
        label={t.members.invitations}
        rows={invitations}
        keyOf={({ invitationId }) => invitationId}
        columns={[
          { head: t.members.wallet, cell: ({ address }) => <CopyId id={address} /> },
          { head: t.members.role, cell: ({ role }) => t.roles[role] },
          { head: t.members.invitedBy, cell: ({ invitedBy }) => <ActorName actor={invitedBy} /> },
          { head: t.members.expires, cell: ({ expiresAt }) => <When at={expiresAt} /> },
          {
            head: t.action,
            isEnd: true,
            cell: ({ invitationId }) =>
              can('members:write') && (
                <Button
                  look="danger"
                  size="sm"
                  isPending={revoke.isPending}
                  onClick={() => revoke.mutate(invitationId)}
                >
                  {t.revoke}
                </Button>
              ),
          },
        ]}
      />
      {revoke.error !== null && (
        <div className="p-4 sm:px-6">
          <Failure mutation={revoke} permission="members:write" />
        </div>
      )}
    </>
  )
}

function Invite({ onClose }: { onClose: () => void }) {
  const t = useText()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const [address, setAddress] = useState('')
  const [role, setRole] = useState<MemberRole>('developer')
  const [chainId, setChainId] = useState('')
  const close = useCloseIfOpen(onClose)
  const invite = useMutation({
    mutationFn: async () =>
      purser.partner.invitations.create({ address: address.trim(), role, ...(chainId !== '' && { chainId }) }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['invitations'] })
      close()
    },
  })
  return (
    <FormDialog
      title={t.members.invite}
      text={t.members.inviteText}
      action={t.members.invite}
      isPending={invite.isPending}
      onClose={onClose}
      onSubmit={() => invite.mutate()}
    >
      <TextField
        label={t.members.address}
        placeholder="0x…"
        required
        pattern="\s*0x[0-9a-fA-F]{40}\s*"
        title={t.members.addressTitle}
        className="font-mono"
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
      <SelectField
        label={t.members.role}
        hint={t.roleTexts[role]}
        value={role}
        options={roles.map((value) => ({ value, label: t.roles[value] }))}
        onPick={(value) => setRole(roleOf(value))}
      />
      <TextField
        label={t.members.chain}
        hint={t.members.chainHint}
        inputMode="numeric"
        pattern="[1-9][0-9]{0,14}"
        value={chainId}
        onChange={(event) => setChainId(event.currentTarget.value)}
      />
      <Failure mutation={invite} permission="members:write" />
    </FormDialog>
  )
}

function RoleMatrix() {
  const t = useText()
  return (
    <Panel title={t.members.matrix} isFlush>
      <div className="border-t border-line">
        <Matrix
          label={t.members.matrix}
          head={t.members.permission}
          rows={Object.keys(rolesWith) as Permission[]}
          columns={roles}
          rowHead={(permission) => (
            <>
              {t.permissions[permission]}
              <span className="block text-soft">
                <PermissionName name={permission} />
              </span>
            </>
          )}
          columnHead={(role) => t.roles[role]}
          has={(permission, role) => (rolesWith[permission] as readonly MemberRole[]).includes(role)}
        />
      </div>
      <p className="border-t border-line px-4 py-3 text-sm text-soft sm:px-6">{t.members.matrixNote}</p>
    </Panel>
  )
}
