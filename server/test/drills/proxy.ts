import { type Nginx, startNginx } from '../../../deploy/proxy/start-nginx.ts'
import { type Postgres, type Process, startPostgres } from '../proof/processes.ts'
import { freePort } from '../support/free-port.ts'
import { type Ground, startGround } from './ground.ts'
import { type Load, startLoad } from './load.ts'

/** Two API processes behind nginx, processes for the other roles, and traffic over TLS. */
export type Installation = {
  readonly ground: Ground
  readonly postgres: Database
  readonly apis: Process[]
  /** With the roles `worker` and `watcher`. */
  readonly workers: Worker[]
  readonly nginx: Nginx
  readonly load: Load
}

const api = 'api.example.com'

/** A worker listens at a URL of its own for its metrics. The database knows it by that URL. */
export type Worker = Process & { readonly metricsUrl: string }

type Database = Pick<Postgres, 'connection'>

type Options = {
  /** Default: one. */
  readonly workerCount?: number
  /** Starts a PostgreSQL other than the embedded one, and registers a function that stops it. */
  readonly openDatabase?: (ground: Ground) => Promise<Database>
  /** Returns more settings of all processes. */
  readonly configure?: (ground: Ground) => Promise<Record<string, string>>
}

/** Runs a drill on an installation, and stops all of it. */
export async function withInstallation(
  run: (installation: Installation) => Promise<void>,
  { workerCount = 1, openDatabase = openEmbedded, configure = async () => ({}) }: Options = {},
): Promise<void> {
  const ground = await startGround({ TRUSTED_PROXIES: '127.0.0.1' })
  try {
    const postgres = await openDatabase(ground)
    const env = await configure(ground)
    const start = (own: Record<string, string>) => ground.start(postgres.connection, { ...env, ...own })
    const apis = [await start({ ROLES: 'api' }), await start({ ROLES: 'api' })]
    const workers: Worker[] = []
    while (workers.length < workerCount) {
      const METRICS_PORT = String(await freePort())
      const worker = await start({ ROLES: 'worker,watcher', METRICS_PORT })
      workers.push({ ...worker, metricsUrl: `http://127.0.0.1:${METRICS_PORT}` })
    }
    const nginx = await startNginx({ upstream: apis.map(portOf) })
    ground.onStop(() => nginx.stop())
    const target = () => ({ url: `https://127.0.0.1:${nginx.port}`, tls: { host: api, ca: nginx.certificate } })
    const load = await startLoad(ground, apis[0]?.url ?? '', () => [target()])
    await run({ ground, postgres, apis, workers, nginx, load })
  } finally {
    await ground.stop()
  }
}

async function openEmbedded(ground: Ground): Promise<Database> {
  const postgres = await startPostgres()
  ground.onStop(() => postgres.remove())
  return postgres
}

export const portOf = ({ url }: Process): number => Number(new URL(url).port)
