/** The facts of the last line of an evidence file. `isIntact`: the hash in it matches the lines before it. */
export type Bundle = {
  readonly records: number
  readonly isComplete: boolean
  readonly kid: string
  readonly sha256: string
  readonly isIntact: boolean
}

export async function readBundle(text: string): Promise<Bundle> {
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  const { records, isComplete, kid, sha256 }: Omit<Bundle, 'isIntact'> = JSON.parse(text.slice(end))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text.slice(0, end)))
  const found = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return { records, isComplete, kid, sha256, isIntact: found === sha256 }
}
