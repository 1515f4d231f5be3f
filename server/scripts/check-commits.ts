import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Rejects commits whose subject is not a Conventional Commit of at most 72 characters. Dependabot's may be longer.
 * Run:  npm run check:commits
 *       npm run check:commits -- <folder>   the repository in another folder
 */
const root = process.argv[2] ?? join(import.meta.dirname, '../..')
/** Older commits are not checked. Their author dates stay the same in a shallow clone and after a rebase. */
const start = Date.parse('2026-11-25T16:40:00Z')
const form = /^(feat|fix|perf|refactor|docs|test|build|ci|chore|revert)(\([a-z0-9-]+\))?!?: \S/
const maxLength = 72
/** Dependabot names groups and folders in its subjects, and has no setting that shortens them. */
const dependabot = 'dependabot[bot]'

/** Returns the hash, the author date in seconds, the author and the subject of every commit. */
function readLog(): string[][] {
  // Without `--git-dir`, git would read the history of a repository around an exported copy.
  const args = ['--git-dir', join(root, '.git'), 'log', '--format=%h%x00%at%x00%an%x00%s']
  const text = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  return text.split('\n').map((line) => line.split('\0'))
}

if (!existsSync(join(root, '.git'))) {
  process.stdout.write('no commits checked, because this copy has no Git history\n')
} else {
  const commits = readLog().filter(
    ([, seconds, , subject]) => Number(seconds) * 1000 >= start && !subject?.startsWith('Merge '),
  )
  const wrong = commits.filter(
    ([, , author, subject = '']) => !form.test(subject) || (subject.length > maxLength && author !== dependabot),
  )
  for (const [hash, , , subject = ''] of wrong)
    process.stdout.write(`${hash}: ${subject.length} characters: ${subject}\n`)
  process.stdout.write(`${commits.length} commits checked, ${wrong.length} subjects rejected\n`)
  if (wrong.length > 0) process.exitCode = 1
}
