import { useRouter, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/**
 * Options of a router. They keep the values of the query as text: by default, the router would read `1.10` as a number
 * and write it back as `1.1`.
 */
export const plainSearch = {
  parseSearch: (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query)),
  stringifySearch(search: Readonly<Record<string, unknown>>): string {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(search)) if (value !== undefined) query.set(name, String(value))
    const text = query.toString()
    return text === '' ? '' : `?${text}`
  },
}

/** The state of a page that its URL holds. */
export function useUrlState<Name extends string>(
  names: readonly Name[],
): [state: Readonly<Record<Name, string | null>>, change: (change: Partial<Record<Name, string | null>>) => void] {
  const router = useRouter()
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false })
  const entries = names.map((name) => [name, search[name] ?? null] as const)
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
