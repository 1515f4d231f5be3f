import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config/config.ts'
import { sandboxPassword } from './config/secrets.ts'
import { hasAnvil } from './providers/anvil/process.ts'
import type { Running } from './run.ts'

/** Returns the text that a terminal shows once the service is ready. */
export function welcome({ config, url }: Running): string {
  // Without BASE_URL, a port that the system chose is only in the URL of the server.
  const shown = (address: string) => (url !== null && new URL(address).port === '0' ? url : address)
  const [base, api] = [shown(config.servers.base), shown(config.servers.api)]
  if (!config.roles.includes('api')) return `Purser is ready: ${config.roles.join(', ')}\n`
  if (config.mode === 'production') return `Purser is ready: ${base}\n`
  return `
Purser is ready, in sandbox mode: nothing here is real money.

  Playground  ${base}/console/
  Owner's app ${base}/app/
  API         ${base}
  Docs        ${base}/docs/       (API reference: ${base}/docs/reference/)
  Sandbox     ${base}/sandbox/…   (HTTP Basic, user "simulator", password in SANDBOX_PASSWORD, default "sandbox")
  Chain       ${describeChains(config)}
  Data        ${config.databaseUrl === null ? config.dataDir : 'your PostgreSQL'}

To sign in, GET ${api}/api/v1/auth/nonce, sign an EIP-4361 message with the domain "localhost", and POST it to
${api}/api/v1/auth/challenge. Open your own pages under http://localhost, because 127.0.0.1 is not a sign-in domain.
To see a whole flow, run this in a second terminal:

  ${exampleCommand({ config, url }, hasExample)}

Stop with Ctrl-C.

`
}

/** The example is in the repository. The package has the command line instead. */
const hasExample = existsSync(join(import.meta.dirname, '../../examples/first-card.ts'))

/** Returns the command that reaches this service. A configured password is never printed. */
export function exampleCommand({ config, url }: Pick<Running, 'config' | 'url'>, isClone: boolean): string {
  const { base } = config.servers
  const names = isClone
    ? { url: 'BASE_URL', password: 'SANDBOX_PASSWORD', command: 'npm run example' }
    : { url: 'PURSER_URL', password: 'PURSER_SANDBOX_PASSWORD', command: 'npx purser trigger tip' }
  const variables = [
    // The system chose the port.
    config.port === 0 ? `${names.url}=${url} ` : base === 'http://localhost:8080' ? '' : `${names.url}=${base} `,
    config.sandboxPassword === sandboxPassword ? '' : `${names.password}=<your password> `,
  ]
  return `${variables.join('')}${names.command}`
}

/** Without nodes, the simulator creates deposits and payouts itself. Anvil is missing where npm has no binary of it. */
function describeChains({ chain, chains, databaseUrl }: Config): string {
  if (chain === 'evm') return chains.map(describeChain).join(', ')
  return `simulated${databaseUrl === null && !hasAnvil() ? `: there is no Anvil for ${process.platform}-${process.arch}` : ''}`
}

/** Shows the origin only: the path of a hosted node's URL may be an API key. */
function describeChain({ chainId, rpcUrls }: Config['chains'][number]): string {
  const [url] = rpcUrls
  return `${url === undefined ? '' : new URL(url).origin} (chain ${chainId})`
}
