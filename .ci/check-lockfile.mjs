// Rejects a package-lock.json that could install packages that nobody reviewed. It runs before the installation, on the
// machine's own Node.js, so it is plain JavaScript without packages.
import { readFileSync } from 'node:fs'

const { lockfileVersion, packages = {} } = JSON.parse(readFileSync(process.argv[2] ?? 'package-lock.json', 'utf8'))
const problems = lockfileVersion === 3 ? [] : [`lockfileVersion must be 3, not ${lockfileVersion}`]
const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
for (const [path, { integrity = '', resolved }] of installed) {
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) problems.push(`${path} has no SHA-512 hash`)
  if (resolved !== undefined) problems.push(`${path} names an address`)
}
if (installed.length === 0) problems.push('it lists no packages')
for (const problem of problems) console.error(`package-lock.json: ${problem}`)
if (problems.length > 0) {
  console.error('Delete package-lock.json, and run npm install with the .npmrc of this repository.')
  process.exitCode = 1
}
