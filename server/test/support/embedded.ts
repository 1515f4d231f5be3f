import { readConfig } from '../../src/config/config.ts'
import { type Running, run } from '../../src/run.ts'
import { databaseUrl } from './database-url.ts'
import { ofCluster } from './process-env.ts'
import { createTestDatabase, httpClient } from './service.ts'

/** Starts the whole service inside this process, as a program that embeds it does. */
export async function startEmbedded(env: Readonly<Record<string, string>> = {}) {
  const config = readConfig({
    DATABASE_URL: databaseUrl(await createTestDatabase()),
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...ofCluster,
    ...env,
  })
  const life = new AbortController()
  const { promise, resolve } = Promise.withResolvers<Running>()
  const stopped = run(config, life.signal, resolve)
  const running = await Promise.race([promise, stopped.then(() => null)])
  if (running?.url == null) throw new Error('the service did not start')
  const stop = () => {
    life.abort()
    return stopped
  }
  return { stop, client: httpClient(running.url) }
}
