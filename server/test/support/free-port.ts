import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Linux gives outgoing connections the ports from 32,768 on. One of them could be taken before a service listens on it.
 */
const [lowest, end] = [20_000, 32_768]

/** Returns a port that nothing listens on. */
export async function freePort(): Promise<number> {
  const port = randomInt(lowest, end)
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch (error) {
    if (Object(error).code === 'EADDRINUSE') return freePort()
    throw error
  }
  probe.close()
  await once(probe, 'close')
  return port
}
