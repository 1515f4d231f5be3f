/** `Retry-After`, in seconds; a date in it is nobody's to trust, and left alone. */
export function retryAfterSeconds(header: string | null | undefined): number | null {
  return header && /^[0-9]{1,9}$/.test(header) ? Number(header) : null
}
