/** Returns a `fetch` that ends when the signal aborts, so that no request outlives a command. */
export function fetchUntil(signal: AbortSignal) {
  return (url: string, init: RequestInit): Promise<Response> =>
    fetch(url, { ...init, signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal })
}
