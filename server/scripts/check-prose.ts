import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lineCommentPassages, markdownPassages, typescriptPassages } from './prose/passages.ts'
import { check, type Passage } from './prose/rules.ts'

/**
 * Rejects forms of language that the style of this project excludes, in everything that people read: documents,
 * comments, messages, the texts of the OpenAPI document and the titles of tests.
 * Run:  npm run check:prose                       the whole project
 *       npm run check:prose -- server/src/money   the files below a path
 */
const root = join(import.meta.dirname, '../..')

/** Files in German, files by other people or by a program, legal texts, and the peers of the benchmarks. */
const excluded =
  /^(LICENSE|bench\/(results|peers)\/|client\/src\/(api|operations|resources|models|error-codes)\.ts|server\/test\/support\/vectors\/)|[/-]de\.ts$/
/** The checker itself, which contains bad sentences on purpose. */
const own = 'server/scripts/prose/'

function passagesOf(file: string): Passage[] {
  const text = readFileSync(join(root, file), 'utf8')
  if (/\.md$/.test(file)) return markdownPassages(text)
  if (/\.sql$/.test(file)) return lineCommentPassages(text, '--')
  if (/\.(sol|css)$/.test(file)) return lineCommentPassages(text, '//')
  if (/\.(ya?ml|sh|service)$|^\.ci\/run$|^\.editorconfig$|^\.env\.example$|\.npmrc$/.test(file)) {
    return lineCommentPassages(text, '#')
  }
  // The texts of a test's requests and expectations are data.
  const messages = /^(server|client|cli|bench|web)\/(src|scripts)\//.test(file) && !/\.(test|contract)\.ts$/.test(file)
  return /\.(m?ts|tsx|m?js)$/.test(file) ? typescriptPassages(text, { messages, isPage: file.endsWith('.tsx') }) : []
}

const paths = process.argv.slice(2)
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
const files = `${listed}`
  .split('\n')
  .filter((file) => file !== '' && !excluded.test(file) && !file.startsWith(own))
  .filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))

let count = 0
for (const file of files) {
  for (const { line, rule, text } of passagesOf(file).flatMap(check)) {
    count += 1
    process.stdout.write(`${file}:${line}: ${rule}\n    ${text}\n`)
  }
}
process.stdout.write(`${files.length} files read, ${count} findings\n`)
if (count > 0) process.exitCode = 1
