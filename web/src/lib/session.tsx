import { type Purser, PurserError, type WalletAdapter, type WalletSession } from '@purser/client'
import { focusManager, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useUiText } from '../ui/text.ts'
import { ownerClient } from './purser.ts'
import { keep } from './storage.ts'

/** A wallet that the person picked. `id` finds it again at the next visit. */
export type Picked = {
  readonly id: string
  readonly name: string
  readonly isTest: boolean
  readonly adapter: WalletAdapter
}

export type SignedIn = {
  readonly purser: Purser
  readonly session: WalletSession
  readonly wallet: Picked & { readonly address: string }
}

type Value = {
  readonly signedIn: SignedIn | null
  readonly signIn: (wallet: Picked) => Promise<void>
  /** `farewell` is shown above the next sign-in. */
  readonly signOut: (farewell?: string) => Promise<void>
  readonly farewell: string | null
  /** Whether the wallet belongs to a user. */
  readonly isRegistered: boolean
}

const Context = createContext<Value | null>(null)

/**
 * Pauses the polling of all queries, as in a hidden page. With an expired token, each poll would ask for the sign-in
 * that the person has just declined.
 */
const stopPolling = () => focusManager.setFocused(false)
const resumePolling = () => focusManager.setFocused(undefined)

/** The page asks before it opens the wallet again, so that no signature request comes as a surprise. */
type Renewal = { readonly accept: () => void; readonly reject: (error: Error) => void }

type Props = {
  /**
   * Called with each new token of a wallet that belongs to a user. If the check fails at the sign-in, nobody is signed
   * in. If it fails at a renewal because the wallet has lost its access, the wallet is signed out. Without `check`, the
   * page needs no user.
   */
  readonly check?: (token: string) => Promise<void>
  readonly children: ReactNode
}

/** Holds the session of a wallet, in memory. An expired session is renewed in place, and the page keeps its state. */
export function SessionProvider({ check, children }: Props) {
  const ui = useUiText()
  const queries = useQueryClient()
  const [signedIn, setSignedIn] = useState<SignedIn | null>(null)
  const [renewal, setRenewal] = useState<Renewal | null>(null)
  const [isRegistered, setRegistered] = useState(false)
  const [farewell, setFarewell] = useState<string | null>(null)
  const latest = useRef(signedIn)
  const hasLeft = useRef(false)
  latest.current = signedIn
  // Other pages, such as the operator console and the playground, have no renewal that would resume the polling.
  useEffect(() => resumePolling, [])

  const value = useMemo<Value>(() => {
    async function signOut(text?: string) {
      const { current } = latest
      hasLeft.current = true
      setFarewell(text ?? null)
      setSignedIn(null)
      queries.clear()
      // Without a token, the session has ended already, so a call would fail.
      if (current === null || current.session.token() === null) return
      await current.purser.auth.logOut().catch(() => undefined)
      current.session.setToken(null)
    }
    return {
      signedIn,
      isRegistered,
      farewell,
      async signIn(picked) {
        const { adapter } = picked
        const address = typeof adapter.address === 'string' ? adapter.address : await adapter.address()
        hasLeft.current = false
        setFarewell(null)
        let isFirst = true
        let hadUser = false
        let renewed = Promise.resolve()
        const asking: WalletAdapter = {
          ...adapter,
          address,
          async signMessage(request) {
            // The newest token may show that the wallet has lost its access. The page must then not ask the wallet to
            // sign.
            if (!hasLeft.current) await renewed
            if (hasLeft.current) throw new DOMException('signed out', 'AbortError')
            if (!isFirst && request.message.includes(ui.signIn.statement)) {
              stopPolling()
              await new Promise<void>((accept, reject) => setRenewal({ accept, reject }))
              setRenewal(null)
            }
            return adapter.signMessage(request)
          },
        }
        const { purser, session } = ownerClient(asking, ui.signIn.statement, (next) => {
          if (next !== null) resumePolling()
          if (!isFirst && next !== null) renewed = keepAccess(next)
        })
        async function keepAccess(next: string) {
          const isLost = hasUser(next) ? await isRevoked(next, check) : hadUser
          hadUser = hasUser(next)
          if (isLost && check !== undefined) return signOut(ui.signIn.lostAccess)
          setRegistered(hadUser)
        }
        const token = await session.signIn()
        isFirst = false
        hadUser = hasUser(token)
        if (hadUser) await check?.(token ?? '')
        queries.clear()
        setRegistered(hadUser)
        keep('wallet', picked.id)
        setSignedIn({ purser, session, wallet: { ...picked, adapter: asking, address } })
      },
      signOut,
    }
  }, [signedIn, isRegistered, farewell, check, queries, ui])

  return (
    <Context value={value}>
      {children}
      <Dialog
        isOpen={renewal !== null}
        onClose={() => {
          renewal?.reject(new DOMException('not signed', 'AbortError'))
          setRenewal(null)
        }}
        title={ui.signIn.again}
        text={ui.signIn.againText}
        actions={<Button onClick={() => renewal?.accept()}>{ui.signIn.againAction}</Button>}
      />
    </Context>
  )
}

/**
 * Reads the claim that tells whether the wallet has signed up. The service checks it; the page only picks its screen.
 */
export function hasUser(token: string | null): boolean {
  const [, payload = ''] = token?.split('.') ?? []
  const claims: { readonly hasSignedUp?: boolean } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
  return claims.hasSignedUp === true
}

async function isRevoked(token: string, check: Props['check']): Promise<boolean> {
  try {
    await check?.(token)
    return false
  } catch (error) {
    // A lost connection says nothing about the access.
    return error instanceof PurserError && error.code === 'ACCESS_REVOKED'
  }
}

export function useSession(): Value {
  const value = useContext(Context)
  if (value === null) throw new Error('SessionProvider is missing')
  return value
}

/** Returns the client and the wallet. Only pages behind the sign-in call it. */
export function useSignedIn(): SignedIn {
  const { signedIn } = useSession()
  if (signedIn === null) throw new Error('nobody is signed in')
  return signedIn
}

/** Sets the title of the document. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Purser`
  }, [title])
}
