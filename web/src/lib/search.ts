import { useRouter, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** The state of a page that its URL holds. */
export function useUrlState<Name extends string>(
  names: readonly Name[],
): [state: Readonly<Record<Name, string | null>>, change: (change: Partial<Record<Name, string | null>>) => void] {
  const router = useRouter()
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  // The router reads `7` as a number and `true` as a boolean.
  const entries = names.map((name) => [name, search[name] === undefined ? null : String(search[name])] as const)
  const state = Object.fromEntries(entries) as Record<Name, string | null>
  const change = useCallback(
    (next: Partial<Record<Name, string | null>>) => {
      const query = new URLSearchParams(location.search)
      for (const [name, value] of Object.entries<string | null | undefined>(next)) {
        if (value === null || value === undefined) query.delete(name)
        else query.set(name, value)
      }
      const text = query.toString()
      router.history.replace(`${location.pathname}${text === '' ? '' : `?${text}`}`)
    },
    [router],
  )
  return [state, change]
}
