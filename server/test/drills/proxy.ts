import { type Nginx, startNginx } from '../../../deploy/proxy/start-nginx.ts'
import { type Postgres, type Process, startPostgres } from '../proof/processes.ts'
import { type Ground, startGround } from './ground.ts'
import { type Load, startLoad } from './load.ts'

/** Two API processes behind nginx, processes for the other roles, and traffic over TLS. */
export type Installation = {
  readonly ground: Ground
  readonly postgres: Postgres
  readonly apis: Process[]
  /** With the roles `worker` and `watcher`. */
  readonly workers: Process[]
  readonly nginx: Nginx
  readonly load: Load
}

const api = 'api.example.com'

type Options = {
  /** Default: one. */
  readonly workerCount?: number
  /** Returns more settings of all processes. */
  readonly configure?: (ground: Ground) => Promise<Record<string, string>>
}

/** Runs a drill on an installation, and stops all of it. */
export async function withInstallation(
  run: (installation: Installation) => Promise<void>,
  { workerCount = 1, configure = async () => ({}) }: Options = {},
): Promise<void> {
  const ground = await startGround({ TRUSTED_PROXIES: '127.0.0.1' })
  try {
    const postgres = await startPostgres()
    ground.onStop(() => postgres.remove())
    const env = await configure(ground)
    const start = (ROLES: string) => ground.start(postgres.connection, { ...env, ROLES })
    const apis = [await start('api'), await start('api')]
    const workers: Process[] = []
    while (workers.length < workerCount) workers.push(await start('worker,watcher'))
    const nginx = await startNginx({ upstream: apis.map(portOf) })
    ground.onStop(() => nginx.stop())
    const target = () => ({ url: `https://127.0.0.1:${nginx.port}`, tls: { host: api, ca: nginx.certificate } })
    const load = await startLoad(ground, apis[0]?.url ?? '', () => [target()])
    await run({ ground, postgres, apis, workers, nginx, load })
  } finally {
    await ground.stop()
  }
}

export const portOf = ({ url }: Process): number => Number(new URL(url).port)
