import { useMutation } from '@tanstack/react-query'
import { Outlet, useMatches } from '@tanstack/react-router'
import { Suspense } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { shortened } from '../../ui/copy.tsx'
import { Empty, ErrorNote, Skeleton } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { ConsoleShell } from '../shell.tsx'
import { Deciding } from './deciding.tsx'
import { Menu } from './menu.tsx'
import { OperatorSession, useOperator } from './session.tsx'
import { useText } from './text.ts'

export function OperatorFrame() {
  return (
    <Suspense fallback={<ConsoleShell children={<Skeleton className="h-96" />} />}>
      <OperatorSession>
        <Deciding>
          <Workplace />
        </Deciding>
      </OperatorSession>
    </Suspense>
  )
}

/** The menu, and the screen that the URL names if the operator has its permission. */
function Workplace() {
  const { signOut } = useOperator()
  const leaving = useMutation({ mutationFn: signOut })
  return (
    <ConsoleShell right={<Identity isLeaving={leaving.isPending} onLeave={() => leaving.mutate()} />}>
      {leaving.error !== null && (
        <div className="mb-6">
          <ErrorNote error={leaving.error} />
        </div>
      )}
      <div className="grid items-start gap-x-8 lg:grid-cols-[13rem_minmax(0,1fr)]">
        <Menu />
        <div className="min-w-0">
          <Permitted />
        </div>
      </div>
    </ConsoleShell>
  )
}

function Permitted() {
  const { session: t } = useText()
  const { may, operator } = useOperator()
  const missing = useMatches()
    .map(({ staticData }) => staticData.may)
    .find((permission) => permission !== undefined && !may(permission))
  if (missing === undefined) return <Outlet />
  return (
    <div className="rounded-xl border border-line bg-surface">
      <Empty title={t.forbidden(missing)} text={t.forbiddenText(t.roles[operator.role])} />
    </div>
  )
}

function Identity({ isLeaving, onLeave }: { isLeaving: boolean; onLeave: () => void }) {
  const { session: t } = useText()
  const ui = useUiText()
  const { operator } = useOperator()
  return (
    <>
      <span className="flex min-w-0 items-center gap-2 text-sm text-soft" title={operator.address}>
        <span className="max-w-40 truncate max-md:hidden">{operator.name}</span>
        <span className="font-mono text-xs max-md:hidden">{shortened(operator.address)}</span>
        <Badge tone="info">{t.roles[operator.role]}</Badge>
      </span>
      <Button look="secondary" size="sm" isPending={isLeaving} onClick={onLeave}>
        {ui.signOut}
      </Button>
    </>
  )
}
