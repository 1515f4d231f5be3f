import { type Snippet, snippetsOf } from '../support/snippets.ts'

/**
 * How the fenced blocks of the documents are tested, except those of the sessions. A row names a block by a part of its
 * text.
 */

export type Row = readonly [document: string, part: string, proof: string]

const bodies = '`server/test/site/bodies.test.ts`'
const gateway = '`server/src/cards/gateway/document.test.ts`'
const packed = '`server/test/packages/cli.test.ts`'

/** Blocks that a test of their own runs or reads: the file and the title of the test. */
export const readByTests: readonly Row[] = [
  [
    'ARCHITECTURE.md',
    'server/src/\n',
    '`server/test/laws/documents.test.ts`: every folder of the source is in the tree of ARCHITECTURE.md',
  ],
  [
    'ARCHITECTURE.md',
    'lib < config',
    '`server/test/laws/repository.test.ts`: the layers in ARCHITECTURE.md are those that the architecture test checks',
  ],
  [
    'README.md',
    'curl -sw',
    '`server/test/flows/examples.test.ts`: the curl commands of the README work each time they are run',
  ],
  [
    'cli/README.md',
    'npx purser up',
    `${packed}: "npx purser up" starts the service in an empty folder, and the command line plays a scenario on it`,
  ],
  [
    'client/README.md',
    '```ts',
    '`server/test/sdk/readme.test.ts`: the snippets of the client README work in one program, one after the other',
  ],
  [
    'docs/availability.md',
    '```sh',
    '`server/test/drills/failover.drill.ts`: no acknowledged write is lost when the primary dies and its standby is promoted',
  ],
  [
    'docs/backups.md',
    '```',
    '`server/test/drills/point-in-time-restore.drill.ts`: a restore to the moment before a mistake loses no earlier write and pays nothing twice',
  ],
  ['docs/callbacks.md', '```json', `${bodies}: the bodies in the documents satisfy their schemas`],
  [
    'docs/cli.md',
    'purser listen',
    '`server/test/cli/partner.test.ts`: listen forwards new events to a server on this machine, with signatures that it can verify',
  ],
  [
    'docs/cli.md',
    'purser up --port',
    '`server/test/cli/service.test.ts`: up starts the service with the settings of its options',
  ],
  [
    'docs/issuer-gateway.md',
    '```text\nsecret ',
    `${gateway}: the code makes the signature of the documented test vector`,
  ],
  [
    'docs/issuer-gateway.md',
    'outbound-secret',
    `${gateway}: the code signs a request to the processor as docs/issuer-gateway.md documents it`,
  ],
  ['docs/issuer-gateway.md', '```json', `${bodies}: the bodies in the documents satisfy their schemas`],
  ['docs/operations.md', 'any.address=', `${bodies}: the documented rate limits are the default in production`],
  ['docs/operations.md', '```json', `${bodies}: the service accepts the documented JSON of the settings`],
  [
    'docs/operations.md',
    'MODE=production',
    `${bodies}: the documented settings of production are those that a start needs`,
  ],
  [
    'docs/operations.md',
    'scrape_configs',
    `${bodies}: the documented targets of Prometheus are those of the systemd units`,
  ],
  [
    'docs/sandbox.md',
    'MINT=',
    '`server/test/flows/chain/own-chain.test.ts`: the documented commands mint tokens for an account, which become a deposit',
  ],
  ['docs/webhooks.md', '```json', `${bodies}: the bodies in the documents satisfy their schemas`],
  ['events/', '```json', `${bodies}: the event on each page about an event type satisfies the schema of its webhook`],
  [
    'recipes/',
    'purser trigger',
    '`server/test/cli/scenarios.test.ts`: a scenario runs from the shell, and the exit code tells whether its state was reached',
  ],
  [
    'recipes/',
    '```json',
    '`server/test/cli/scenarios.test.ts`: the scenario "%s" ends in its expected state, with and without repeated and reordered messages',
  ],
]

const start =
  'It runs until it is stopped. `.ci/run` installs a clean clone, and `server/test/packages/cli.test.ts` starts it.'

/** Blocks that no test runs, and why. */
export const exceptions: readonly Row[] = [
  ['README.md', 'npm ci && npm start', start],
  ['docs/README.md', 'npm ci && npm start', start],
  ['docs/quickstart.md', 'npm ci && npm start', start],
  ['README.md', '──▶', 'It is a diagram.'],
  [
    'client/README.md',
    'npm install',
    'The package is not published. `server/test/packages/client.test.ts` installs its tarball.',
  ],
  [
    'cli/samples/web-app/README.md',
    'npm run dev',
    'It runs until it is stopped. `server/test/packages/samples.test.ts` installs, builds and uses the app.',
  ],
  [
    'deploy/README.md',
    'docker build',
    'Docker is not on the machines of CI. `deploy/checks/image.sh` runs the script in the second line.',
  ],
  ['deploy/README.md', 'kubectl', 'CI has no cluster. `deploy/checks/kubernetes.ts` validates the manifests.'],
  [
    'deploy/README.md',
    'systemctl',
    'It changes the users and the services of the machine. `deploy/checks/systemd.sh` verifies the units.',
  ],
]

/** Returns whether a row is about a block. A row about a folder is about all of its pages. */
export const isAbout = ([document, part]: Row, block: Snippet): boolean =>
  (document === block.document || (document.endsWith('/') && block.document.startsWith(document))) &&
  `\`\`\`${block.language}\n${block.code}`.includes(part)

/** Returns the blocks that a document's session runs. */
export const inSession = (document: string): Snippet[] =>
  snippetsOf(document).filter((block) => ![...readByTests, ...exceptions].some((row) => isAbout(row, block)))
