import { type OperatorMe, type OperatorPermission, type Purser, PurserError, type TypedData } from '@purser/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { keep, recall } from '../../lib/storage.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote, Skeleton } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { WalletPicker } from '../../ui/wallet-picker.tsx'
import { ConsoleShell } from '../shell.tsx'
import { type Connection, connectOperator } from './connection.ts'
import { SignIn } from './sign-in.tsx'
import { useText } from './text.ts'

type Value = {
  readonly purser: Purser
  readonly operator: OperatorMe
  readonly may: (permission: OperatorPermission) => boolean
  /** Signs with the wallet that signed in. It throws `WALLET_MISSING` or `WALLET_OTHER` if it cannot. */
  readonly sign: (data: TypedData) => Promise<string>
  readonly signOut: () => Promise<void>
  /** Shows the sign-in after the session has ended. */
  readonly leave: () => void
}

const Context = createContext<Value | null>(null)

/** Returns the operator who is signed in. Only screens inside the frame call it. */
export function useOperator(): Value {
  const value = useContext(Context)
  if (value === null) throw new Error('no operator is signed in')
  return value
}

/**
 * Shows its children to an operator, and the sign-in to everybody else. There is no polling, because every request
 * prolongs the session: the session of an unattended page must end after 15 minutes.
 */
export function OperatorSession({ children }: { children: ReactNode }) {
  const t = useText()
  const queries = useQueryClient()
  const [connection] = useState(() => connectOperator(t.session.statement))
  const [hasSession, setSession] = useState(recall('operator') !== null)
  const { purser } = connection
  const me = useQuery({
    queryKey: ['operator', 'me'],
    enabled: hasSession,
    staleTime: 60_000,
    queryFn: async () => purser.operator.getMe(),
  })
  const operator = me.data ?? null
  const isEnded = operator === null && isUnauthorized(me.error)

  const leave = useCallback(() => {
    keep('operator', null)
    setSession(false)
    queries.clear()
  }, [queries])

  useEffect(() => {
    if (!isEnded) return
    keep('operator', null)
    setSession(false)
  }, [isEnded])

  const value = useMemo<Value | null>(
    () =>
      operator && {
        purser,
        operator,
        may: (permission) => operator.permissions.includes(permission),
        sign: async (data) => connection.sign(data, operator),
        async signOut() {
          const { onEnded } = connection
          // The session may have ended already. Nobody signs in again to sign out.
          connection.onEnded = async () => false
          try {
            await purser.operator.sessions.end(operator.sessionId)
          } catch (error) {
            if (!isUnauthorized(error) && !isUnknownSession(error)) {
              // The cookie still opens the session, so the screen must not look signed out.
              connection.onEnded = onEnded
              throw error
            }
          }
          leave()
        },
        leave,
      },
    [operator, connection, purser, leave],
  )

  if (!hasSession || isEnded)
    return (
      <SignIn
        onPick={async (wallet) => {
          await connection.signIn(wallet)
          queries.clear()
          setSession(true)
        }}
      />
    )
  if (value === null)
    return (
      <ConsoleShell>
        {me.error === null ? (
          <Skeleton className="h-96" />
        ) : (
          <ErrorNote error={me.error} onRetry={() => void me.refetch()} />
        )}
      </ConsoleShell>
    )
  return (
    <Context value={value}>
      {children}
      <Renewal connection={connection} operator={value.operator} />
    </Context>
  )
}

const isUnauthorized = (error: unknown) => error instanceof PurserError && error.code === 'OPERATOR_UNAUTHORIZED'
const isUnknownSession = (error: unknown) => error instanceof PurserError && error.code === 'SESSION_NOT_FOUND'

type RenewalProps = { readonly connection: Connection; readonly operator: OperatorMe }

/** Asks for a new sign-in when a request finds the session ended. The request waits, and continues afterwards. */
function Renewal({ connection, operator }: RenewalProps) {
  const t = useText()
  const ui = useUiText()
  const queries = useQueryClient()
  const [finish, setFinish] = useState<((isRenewed: boolean) => void) | null>(null)
  const waiting = useRef<Promise<boolean> | null>(null)

  useEffect(() => {
    connection.onEnded = () => {
      waiting.current ??= new Promise<boolean>((resolve) => {
        setFinish(() => resolve)
      }).finally(() => {
        waiting.current = null
        setFinish(null)
      })
      return waiting.current
    }
  }, [connection])

  return (
    <Dialog
      isOpen={finish !== null}
      onClose={() => finish?.(false)}
      title={ui.signIn.again}
      text={t.session.againText(operator.name)}
    >
      <WalletPicker
        testWallets="operator"
        sentences={t.session.errors}
        onPick={async (wallet) => {
          await connection.signIn(wallet, operator)
          finish?.(true)
          await queries.invalidateQueries({ queryKey: ['operator', 'me'] })
        }}
      />
    </Dialog>
  )
}
