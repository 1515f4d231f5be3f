import { type Nginx, startNginx } from '../../../deploy/proxy/start-nginx.ts'
import { type Postgres, type Process, startPostgres } from '../proof/processes.ts'
import { type Ground, startGround } from './ground.ts'
import { type Load, startLoad } from './load.ts'

/** Two API processes behind nginx, a process for the other roles, and traffic over TLS. */
export type Installation = {
  readonly ground: Ground
  readonly postgres: Postgres
  readonly apis: Process[]
  readonly worker: Process
  readonly nginx: Nginx
  readonly load: Load
}

const api = 'api.example.com'

/** Runs a drill on an installation, and stops all of it. */
export async function withInstallation(run: (installation: Installation) => Promise<void>): Promise<void> {
  const ground = await startGround({ TRUSTED_PROXIES: '127.0.0.1' })
  try {
    const postgres = await startPostgres()
    ground.onStop(() => postgres.remove())
    const apis = [
      await ground.start(postgres.connection, { ROLES: 'api' }),
      await ground.start(postgres.connection, { ROLES: 'api' }),
    ]
    const worker = await ground.start(postgres.connection, { ROLES: 'worker,watcher' })
    const nginx = await startNginx({ upstream: apis.map(portOf) })
    ground.onStop(() => nginx.stop())
    const target = () => ({ url: `https://127.0.0.1:${nginx.port}`, tls: { host: api, ca: nginx.certificate } })
    const load = await startLoad(ground, apis[0]?.url ?? '', () => [target()])
    await run({ ground, postgres, apis, worker, nginx, load })
  } finally {
    await ground.stop()
  }
}

export const portOf = ({ url }: Process): number => Number(new URL(url).port)
