import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useArrival } from '../../ui/arrival.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, CopyId, shortened } from '../../ui/copy.tsx'
import { Dialog, useCloseIfOpen } from '../../ui/dialog.tsx'
import { ErrorNote } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { type Permission, useActor, useSentences } from './partner.tsx'
import { useText } from './text.ts'

/** Parts of several pages of the partner console. */

/** A secret that the service returns only once. It stays until the person has stored it or leaves the view. */
export function SecretPanel({
  title,
  text,
  secret,
  onDone,
}: {
  readonly title: string
  readonly text: string
  readonly secret: string
  readonly onDone: () => void
}) {
  const t = useText()
  const heading = useArrival<HTMLHeadingElement>()
  return (
    <section className="mb-6 grid grid-cols-1 gap-4 rounded-xl border border-accent bg-surface p-4 shadow-card sm:p-6">
      <div>
        <h2 ref={heading} tabIndex={-1} className="font-semibold wrap-anywhere outline-none">
          {title}
        </h2>
        <p className="mt-1 text-sm text-soft">{text}</p>
      </div>
      <CodeBlock label={title} code={secret} />
      <Button className="justify-self-start" onClick={onDone}>
        {t.secret.stored}
      </Button>
    </section>
  )
}

/** Shows a failed change. The sentence names the permission that the member lacks. */
export function Failure<Data, Input>({
  mutation,
  permission,
}: {
  readonly mutation: UseMutationResult<Data, Error, Input>
  readonly permission?: Permission
}) {
  const sentences = useSentences(permission)
  const { error, variables } = mutation
  if (error === null) return null
  return (
    <ErrorNote
      error={error}
      sentences={sentences}
      // A failed mutation always has variables.
      onRetry={() => mutation.mutate(variables as Input)}
    />
  )
}

/**
 * Asks for confirmation before something is removed, revoked or disabled. The mutation ends with the dialog, so the
 * dialog of one row never shows or repeats the failure of another.
 */
export function Confirm({
  title,
  text,
  action,
  permission,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string
  readonly text: ReactNode
  readonly action: string
  readonly permission?: Permission
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
  readonly children?: ReactNode
}) {
  const ui = useUiText()
  const confirm = useMutation({ mutationFn: async () => onConfirm(), onSuccess: useCloseIfOpen(onClose) })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      text={text}
      actions={
        <>
          <Button look="secondary" onClick={onClose}>
            {ui.cancel}
          </Button>
          <Button look="danger" isPending={confirm.isPending} onClick={() => confirm.mutate()}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      <Failure mutation={confirm} {...(permission && { permission })} />
    </Dialog>
  )
}

/** A member, an API key, an operator or the service, as the audit log names it. */
export function ActorName({ actor }: { actor: string }) {
  const t = useText()
  const own = useActor()
  const [kind = '', id] = actor.split(':')
  if (id === undefined) return <>{actor === 'purser' || actor === 'operator' ? t.actors[actor] : actor}</>
  if (actor === own) return <span title={id}>{t.you}</span>
  return (
    <span className="inline-flex items-center gap-x-2">
      {kind === 'key' && <span>{t.actors.key}</span>}
      <CopyId id={id} />
    </span>
  )
}

export const actorText = (actor: string): string => shortened(actor.split(':')[1] ?? actor)

const deliveryTones: Readonly<Record<'pending' | 'delivered' | 'dead', Tone>> = {
  pending: 'info',
  delivered: 'good',
  dead: 'bad',
}

export function DeliveryBadge({ status }: { status: 'pending' | 'delivered' | 'dead' }) {
  const t = useText()
  return <Badge tone={deliveryTones[status]}>{t.deliveries.statuses[status]}</Badge>
}

export function HttpStatus({ status }: { status: number | null }) {
  if (status === null) return <>–</>
  const tone: Tone = status < 300 ? 'good' : status < 400 ? 'warn' : 'bad'
  return (
    <Badge tone={tone}>
      <span className="font-mono">{status}</span>
    </Badge>
  )
}
