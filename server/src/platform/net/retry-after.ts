/** Reads `Retry-After` in seconds. A date is ignored, since the sender's clock cannot be trusted. */
export function retryAfterSeconds(header: string | null | undefined): number | null {
  return header && /^[0-9]{1,9}$/.test(header) ? Number(header) : null
}
