import type { Config } from './config/config.ts'
import type { Running } from './run.ts'

/** Returns the text that a terminal shows once the service is ready. */
export function welcome({ config }: Running): string {
  const { base, api } = config.servers
  if (!config.roles.includes('api')) return `Purser is ready: ${config.roles.join(', ')}\n`
  if (config.mode === 'production') return `Purser is ready: ${base}\n`
  return `
Purser is ready, in sandbox mode: nothing here is real money.

  API         ${base}
  Reference   ${base}/docs        (document: ${base}/openapi.json)
  Sandbox     ${base}/sandbox/…   (HTTP Basic, user "simulator", password in SANDBOX_PASSWORD, default "sandbox")
  Chain       ${config.chain === 'evm' ? config.chains.map(describeChain).join(', ') : 'simulated'}
  Data        ${config.databaseUrl === null ? config.dataDir : 'your PostgreSQL'}

To sign in, GET ${api}/api/v1/auth/nonce, sign an EIP-4361 message with the domain "localhost", and POST it to
${api}/api/v1/auth/challenge. To see a whole flow, run "npm run example" in a second terminal.
Stop with Ctrl-C.

`
}

/** Shows the origin only: the path of a hosted node's URL may be an API key. */
function describeChain({ chainId, rpcUrls }: Config['chains'][number]): string {
  const [url] = rpcUrls
  return `${url === undefined ? '' : new URL(url).origin} (chain ${chainId})`
}
