import type { Purser, WalletAdapter, WalletSession } from '@purser/client'
import { useQueryClient } from '@tanstack/react-query'
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
  readonly onRegistered: () => void
}

const Context = createContext<Value | null>(null)

/** The page asks before it opens the wallet again, so that no signature request comes as a surprise. */
type Renewal = { readonly accept: () => void; readonly reject: (error: Error) => void }

type Props = {
  /**
   * Called at a sign-in, with the token of a wallet that belongs to a user. If it fails, nobody is signed in. A renewal
   * of the session does not call it.
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

  const value = useMemo<Value>(
    () => ({
      signedIn,
      isRegistered,
      farewell,
      onRegistered: () => setRegistered(true),
      async signIn(picked) {
        const { adapter } = picked
        const address = typeof adapter.address === 'string' ? adapter.address : await adapter.address()
        hasLeft.current = false
        setFarewell(null)
        let isFirst = true
        const asking: WalletAdapter = {
          ...adapter,
          address,
          async signMessage(request) {
            if (hasLeft.current) throw new DOMException('signed out', 'AbortError')
            if (!isFirst && request.message.includes(ui.signIn.statement)) {
              await new Promise<void>((accept, reject) => setRenewal({ accept, reject }))
              setRenewal(null)
            }
            return adapter.signMessage(request)
          },
        }
        const { purser, session } = ownerClient(asking, ui.signIn.statement)
        const token = await session.signIn()
        isFirst = false
        if (hasUser(token)) await check?.(token ?? '')
        queries.clear()
        setRegistered(hasUser(token))
        keep('wallet', picked.id)
        setSignedIn({ purser, session, wallet: { ...picked, adapter: asking, address } })
      },
      async signOut(text) {
        const { current } = latest
        setFarewell(text ?? null)
        setSignedIn(null)
        queries.clear()
        // Without a token, the session has ended already. A call would make the wallet sign in again.
        if (current === null || current.session.token() === null) return
        hasLeft.current = true
        await current.purser.auth.logOut().catch(() => undefined)
        current.session.setToken(null)
      },
    }),
    [signedIn, isRegistered, farewell, check, queries, ui],
  )

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
function hasUser(token: string | null): boolean {
  const [, payload = ''] = token?.split('.') ?? []
  const claims: { readonly hasSignedUp?: boolean } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
  return claims.hasSignedUp === true
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
