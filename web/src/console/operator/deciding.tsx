import type { Proposal } from '@purser/client'
import { useRouterState } from '@tanstack/react-router'
import { type ComponentProps, createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { permissionOf } from './permissions.ts'
import { useOperator } from './session.tsx'
import { ApproveDecision, type DecisionRequest, SignDecision } from './sign-decision.tsx'

/**
 * The dialogs of decisions, beside the screens. A decision may remove the row or the button that began it, and the
 * dialog must still tell its outcome.
 */
type Value = {
  readonly decide: (request: DecisionRequest) => void
  readonly approve: (proposal: Proposal) => void
}

const Context = createContext<Value | null>(null)

export function Deciding({ children }: { children: ReactNode }) {
  const [request, decide] = useState<DecisionRequest | null>(null)
  const [proposal, approve] = useState<Proposal | null>(null)
  const value = useMemo<Value>(() => ({ decide, approve }), [])
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  // A link in a dialog leads to another screen, where the dialog must not stay open.
  useEffect(() => {
    decide(null)
    approve(null)
  }, [pathname])
  return (
    <Context value={value}>
      {children}
      <SignDecision request={request} onClose={() => decide(null)} />
      <ApproveDecision proposal={proposal} onClose={() => approve(null)} />
    </Context>
  )
}

/** Returns functions that open the dialogs. Only screens inside the frame call it. */
export function useDeciding(): Value {
  const value = useContext(Context)
  if (value === null) throw new Error('the frame of operators is missing')
  return value
}

type Props = { readonly request: DecisionRequest } & Pick<ComponentProps<typeof Button>, 'look' | 'children'>

/** A button that begins a decision. Operators without the permission of its command do not see it. */
export function DecideButton({ request, look = 'secondary', children }: Props) {
  const { may } = useOperator()
  const { decide } = useDeciding()
  if (!may(permissionOf[request.command])) return null
  return (
    <Button look={look} size="sm" onClick={() => decide(request)}>
      {children}
    </Button>
  )
}
