import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { processEnv } from './process-env.ts'

const root = join(import.meta.dirname, '../../..')

/** Returns the command block of a document that contains this text. */
export async function documentedCommands(document: string, text: string): Promise<string> {
  const blocks = (await readFile(join(root, document), 'utf8')).match(/(?<=^```sh\n)[^`]*(?=^```)/gm) ?? []
  const block = blocks.find((each) => each.includes(text))
  if (block === undefined) throw new Error(`${document} has no command block with ${text}`)
  return block
}

/**
 * Runs documented commands with Bash against a service, and returns their output. A Node.js script takes the place of
 * curl, which a machine may lack. It understands the options that the documents use.
 */
export async function runDocumented(
  commands: string,
  url: string,
  variables: Record<string, string> = {},
): Promise<string> {
  const curl = `curl() { "${process.execPath}" "${join(import.meta.dirname, 'curl.ts')}" "$@"; }`
  const script = `set -euo pipefail; ${curl}\n${commands.replaceAll('http://localhost:8080', url)}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { ...processEnv, ...variables } })
  return stdout
}
