/**
 * The facts that a page keeps for the next visit: the language, the theme and the ids of the last wallets. For each
 * wallet, it also keeps a withdrawal whose response has not arrived. Access tokens are never stored. The router keeps
 * the scroll positions of the tab.
 */
type Name = 'language' | 'theme' | 'wallet' | 'operator' | `withdrawal.${string}`

export function recall(name: Name): string | null {
  try {
    return localStorage.getItem(`purser.${name}`)
  } catch {
    // The browser forbids storage. The page works without it.
    return null
  }
}

export function keep(name: Name, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`purser.${name}`)
    else localStorage.setItem(`purser.${name}`, value)
  } catch {
    // See `recall`.
  }
}
