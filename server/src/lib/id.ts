import { v7 } from 'uuid'

/** A UUIDv7 whose time part is the given instant: ids made later sort later (RFC 9562, section 5.7). */
export function newId(at: Date): string {
  return v7({ msecs: at.getTime() })
}
