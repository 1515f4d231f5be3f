import type { ComponentProps } from 'react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { permissionOf } from './commands.ts'
import { useOperator } from './session.tsx'
import { type DecisionRequest, SignDecision } from './sign-decision.tsx'

type Props = { readonly request: DecisionRequest } & Pick<ComponentProps<typeof Button>, 'look' | 'children'>

/** A button that begins a decision. Operators without the permission of its command do not see it. */
export function DecideButton({ request, look = 'secondary', children }: Props) {
  const { may } = useOperator()
  const [isOpen, setOpen] = useState(false)
  if (!may(permissionOf[request.command])) return null
  return (
    <>
      <Button look={look} size="sm" onClick={() => setOpen(true)}>
        {children}
      </Button>
      <SignDecision request={isOpen ? request : null} onClose={() => setOpen(false)} />
    </>
  )
}
