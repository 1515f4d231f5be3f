import { execFileSync } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allowed } from './secrets/allowed.ts'
import { findSecrets } from './secrets/rules.ts'

/**
 * Rejects secrets in the files of the repository, including files that are not committed yet. A public test key needs
 * an entry in `secrets/allowed.ts`.
 * Run:  npm run check:secrets
 *       npm run check:secrets -- <folder>   the repository in another folder
 */
const root = process.argv[2] ?? join(import.meta.dirname, '../..')
/** Larger files are generated. */
const maxBytes = 2_000_000

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
const files = `${listed}`.split('\0').filter((file) => file !== '')

let [read, count] = [0, 0]
for (const file of files) {
  const facts = lstatSync(join(root, file), { throwIfNoEntry: false })
  if (!facts?.isFile() || facts.size > maxBytes) continue
  const bytes = readFileSync(join(root, file))
  if (bytes.includes(0)) continue
  read += 1
  for (const { line, rule, shown } of findSecrets(bytes.toString(), allowed)) {
    count += 1
    process.stdout.write(`${file}:${line}: ${rule}: ${shown}\n`)
  }
}
process.stdout.write(`${read} files read, ${count} secrets found\n`)
if (count > 0) process.exitCode = 1
