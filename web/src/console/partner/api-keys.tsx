import type { ApiKey, BodyOf, NewApiKey } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { serviceNow } from '../../lib/facts.ts'
import { useUrlState } from '../../lib/search.ts'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { When } from '../../ui/date.tsx'
import { Dialog, useCloseIfOpen } from '../../ui/dialog.tsx'
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PageHead, Panel } from '../../ui/layout.tsx'
import { poll } from '../../ui/poll.ts'
import { Empty, Loaded } from '../../ui/states.tsx'
import { DataTable, TableSkeleton } from '../../ui/table.tsx'
import { useUiText } from '../../ui/text.ts'
import { usePartner, useSentences } from './partner.tsx'
import { ActorName, Confirm, Failure, SecretPanel } from './parts.tsx'
import { scopes } from './roles.ts'
import { useText } from './text.ts'

const daySeconds = 86_400
const lifetimes = [0, 30, 90, 365] as const
export const overlaps = [0, 3_600, daySeconds, 7 * daySeconds, 30 * daySeconds] as const

type Scope = BodyOf<'partner.apiKeys.create'>['scopes'][number]

export const isEnded = ({ revokedAt, expiresAt }: ApiKey) =>
  revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= serviceNow())

/** The keys of the partner's servers. A key is shown only in the response that creates it. */
export function ApiKeys() {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const sentences = useSentences()
  const [{ ended }, change] = useUrlState(['ended'])
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<readonly NewApiKey[]>([])
  useTitle(t.keys.title)
  const keys = useQuery({
    queryKey: ['api-keys'],
    queryFn: async () => (await purser.partner.apiKeys.list()).data.toReversed(),
    refetchInterval: poll(30_000),
  })
  const addMade = (key: NewApiKey) => setMade((before) => [key, ...before])
  const create = can('keys:write') && <Button onClick={() => setCreating(true)}>{t.keys.create}</Button>
  return (
    <>
      <PageHead title={t.keys.title} text={t.keys.lead} actions={create} />
      {made.map(({ keyId, name, key }) => (
        <SecretPanel
          key={keyId}
          title={t.keys.madeTitle(name)}
          text={t.secret.once}
          secret={key}
          onDone={() => setMade((before) => before.filter((each) => each.keyId !== keyId))}
        />
      ))}
      <Panel isFlush>
        <Loaded query={keys} loading={<TableSkeleton rows={3} />} sentences={sentences}>
          {(list) => {
            const shown = ended === null ? list.filter((key) => !isEnded(key)) : list
            return shown.length === 0 ? (
              <Empty title={t.keys.emptyTitle} text={t.keys.emptyText} />
            ) : (
              <KeyTable keys={shown} onMade={addMade} />
            )
          }}
        </Loaded>
      </Panel>
      {keys.data?.some(isEnded) === true && (
        <div className="mt-4">
          <Checkbox
            label={t.keys.showEnded}
            checked={ended !== null}
            onChange={(event) => change({ ended: event.currentTarget.checked ? 'yes' : null })}
          />
        </div>
      )}
      {isCreating && <Create onClose={() => setCreating(false)} onMade={addMade} />}
    </>
  )
}

function KeyTable({ keys, onMade }: { keys: readonly ApiKey[]; onMade: (key: NewApiKey) => void }) {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const queries = useQueryClient()
  const [rotated, setRotated] = useState<ApiKey | null>(null)
  const [revoked, setRevoked] = useState<ApiKey | null>(null)
  return (
    <>
      <DataTable
        label={t.keys.title}
        rows={keys}
        keyOf={({ keyId }) => keyId}
        columns={[
          {
            head: t.keys.name,
            cell: ({ name, lastCharacters }) => (
              <>
                <span className="wrap-anywhere">{name}</span>
                <span className="block font-mono text-xs font-normal whitespace-nowrap text-soft">
                  psk_…{lastCharacters}
                </span>
              </>
            ),
          },
          {
            head: t.keys.scopes,
            cell: ({ scopes: own }) => (
              <span className="flex flex-wrap gap-1 max-md:justify-end">
                {own.map((scope) => (
                  <Badge key={scope}>
                    <span className="font-mono font-normal">{scope}</span>
                  </Badge>
                ))}
              </span>
            ),
          },
          { head: t.keys.createdBy, cell: ({ createdBy }) => <ActorName actor={createdBy} /> },
          { head: t.keys.state, cell: (key) => <KeyState apiKey={key} /> },
          {
            head: t.action,
            isEnd: true,
            cell: (key) =>
              can('keys:write') &&
              !isEnded(key) && (
                <span className="inline-flex gap-1">
                  <Button look="secondary" size="sm" onClick={() => setRotated(key)}>
                    {t.keys.rotate}
                  </Button>
                  <Button look="danger" size="sm" onClick={() => setRevoked(key)}>
                    {t.revoke}
                  </Button>
                </span>
              ),
          },
        ]}
      />
      {rotated !== null && <Rotate apiKey={rotated} onClose={() => setRotated(null)} onMade={onMade} />}
      {revoked !== null && (
        <Confirm
          title={t.keys.revokeTitle(revoked.name)}
          text={t.keys.revokeText}
          action={t.revoke}
          permission="keys:write"
          onConfirm={async () => {
            await purser.partner.apiKeys.revoke(revoked.keyId)
            await queries.invalidateQueries({ queryKey: ['api-keys'] })
          }}
          onClose={() => setRevoked(null)}
        />
      )}
    </>
  )
}

function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const t = useText()
  const { revokedAt, expiresAt } = apiKey
  if (revokedAt !== null)
    return (
      <Badge tone="bad">
        <span>
          {t.keys.revokedAt} <When at={revokedAt} form="day" />
        </span>
      </Badge>
    )
  if (expiresAt === null) return <Badge tone="good">{t.keys.valid}</Badge>
  return (
    <Badge tone={isEnded(apiKey) ? 'neutral' : 'warn'}>
      <span>
        {isEnded(apiKey) ? t.keys.expiredAt : t.keys.expiresAt} <When at={expiresAt} form="day" />
      </span>
    </Badge>
  )
}

function Create({ onClose, onMade }: { onClose: () => void; onMade: (key: NewApiKey) => void }) {
  const t = useText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [picked, setPicked] = useState<readonly Scope[]>([])
  const [days, setDays] = useState(0)
  const [isNoneTried, setNoneTried] = useState(false)
  const close = useCloseIfOpen(onClose)
  const create = useMutation({
    mutationFn: async () =>
      purser.partner.apiKeys.create({
        name,
        scopes: [...picked],
        ...(days > 0 && { ttlInSeconds: days * daySeconds }),
      }),
    async onSuccess(key) {
      onMade(key)
      close()
      await queries.invalidateQueries({ queryKey: ['api-keys'] })
    },
  })
  return (
    <FormDialog
      title={t.keys.create}
      text={t.keys.createText}
      action={t.keys.create}
      isPending={create.isPending}
      onClose={onClose}
      onSubmit={() => {
        if (picked.length === 0) setNoneTried(true)
        else create.mutate()
      }}
    >
      <TextField
        label={t.keys.name}
        hint={t.keys.nameHint}
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <fieldset>
        <legend className="mb-2 text-sm font-medium">{t.keys.scopes}</legend>
        <div className="grid gap-2">
          {scopes.map((scope) => (
            <Checkbox
              key={scope}
              label={
                <>
                  {t.permissions[scope]} <span className="font-mono text-xs text-soft">{scope}</span>
                </>
              }
              disabled={!can(scope)}
              checked={picked.includes(scope as Scope)}
              onChange={(event) => {
                const others = picked.filter((each) => each !== scope)
                setPicked(event.currentTarget.checked ? [...others, scope as Scope] : others)
              }}
            />
          ))}
        </div>
        {isNoneTried && picked.length === 0 && (
          <p role="alert" className="mt-2 text-sm text-bad">
            {t.keys.noScope}
          </p>
        )}
      </fieldset>
      <SelectField
        label={t.keys.lifetime}
        value={String(days)}
        options={lifetimes.map((value) => ({ value: String(value), label: t.keys.lifetimes(value) }))}
        onPick={(value) => setDays(Number(value))}
      />
      <Failure mutation={create} permission="keys:write" />
    </FormDialog>
  )
}

function Rotate({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: ApiKey
  onClose: () => void
  onMade: (key: NewApiKey) => void
}) {
  const t = useText()
  const ui = useUiText()
  const { purser } = useSignedIn()
  const { can } = usePartner()
  const queries = useQueryClient()
  const [overlapSeconds, setOverlap] = useState<number>(daySeconds)
  const close = useCloseIfOpen(onClose)
  const rotate = useMutation({
    mutationFn: async () => purser.partner.apiKeys.rotate(apiKey.keyId, { overlapSeconds }),
    async onSuccess(key) {
      onMade(key)
      close()
      await queries.invalidateQueries({ queryKey: ['api-keys'] })
    },
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.keys.rotateTitle(apiKey.name)}
      text={t.keys.rotateText}
      actions={
        <>
          <Button look="secondary" onClick={onClose}>
            {ui.cancel}
          </Button>
          <Button isPending={rotate.isPending} onClick={() => rotate.mutate()}>
            {t.keys.rotate}
          </Button>
        </>
      }
    >
      <SelectField
        label={t.overlap.label}
        value={String(overlapSeconds)}
        options={overlaps.map((value) => ({ value: String(value), label: t.overlap.names(value) }))}
        onPick={(value) => setOverlap(Number(value))}
      />
      {/* The new key has the scopes of the old one, so the member needs them too. */}
      <Failure mutation={rotate} permission={apiKey.scopes.find((scope) => !can(scope)) ?? 'keys:write'} />
    </Dialog>
  )
}
