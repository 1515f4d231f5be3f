import type { Readable } from 'node:stream'

type ReadLimit = { readonly maxBytes: number; readonly onExcess: 'truncate' | 'fail' }

/** Reads a body as text. Stops at the limit, and closes the connection with the rest unread. */
export async function readText(body: Readable, { maxBytes, onExcess }: ReadLimit): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop destroys the stream.
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size <= maxBytes) continue
    if (onExcess === 'fail') throw new Error(`the response is longer than ${maxBytes} bytes`)
    break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}
