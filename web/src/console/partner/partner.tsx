import { PurserError, type ResultOf } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { useSignedIn } from '../../lib/session.tsx'
import { pollAfter } from '../../ui/poll.ts'
import { useText } from './text.ts'

/** The partner of the signed-in wallet, and the permissions of the wallet. */

type Membership = ResultOf<'partner.get'>
export type Permission = Membership['permissions'][number]
export type MemberRole = 'owner' | 'developer' | 'viewer'

const pollMilliseconds = 60_000

/** Reads the partner; null: the wallet is a member of none. A changed role takes effect with the next read. */
export function useMembership() {
  const { purser } = useSignedIn()
  return useQuery({
    queryKey: ['partner'],
    async queryFn() {
      try {
        return await purser.partner.get()
      } catch (error) {
        if (error instanceof PurserError && error.code === 'NOT_A_MEMBER') return null
        throw error
      }
    },
    refetchInterval: ({ state }) => state.data !== null && pollAfter(pollMilliseconds, state.error),
  })
}

export const PartnerContext = createContext<Membership | null>(null)

export function usePartner(): Membership & { can(permission: Permission): boolean; readonly role: MemberRole } {
  const partner = useContext(PartnerContext)
  if (partner === null) throw new Error('the wallet is no member of a partner')
  return { ...partner, can: (permission) => partner.permissions.includes(permission), role: roleOf(partner) }
}

/** Each role has a permission that the next lower one lacks. */
function roleOf({ permissions }: Membership): MemberRole {
  if (permissions.includes('members:write')) return 'owner'
  return permissions.includes('keys:write') ? 'developer' : 'viewer'
}

/** Returns the name of the signed-in wallet in the audit log. */
export const useActor = (): string => `wallet:${useSignedIn().wallet.address}`

/** Returns the sentences for error codes. The one of `NOT_PERMITTED` names the missing permission. */
export function useSentences(permission?: Permission): Readonly<Record<string, string>> {
  const t = useText()
  return permission === undefined ? t.errors : { ...t.errors, NOT_PERMITTED: t.lacks(permission) }
}
