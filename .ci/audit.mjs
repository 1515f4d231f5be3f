// Rejects dependencies with known vulnerabilities of high severity. Some registries offer no audit; the report then
// says so.
import { spawnSync } from 'node:child_process'

const words = ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=20000']
const { stdout, error } = spawnSync('npm', words, { encoding: 'utf8', maxBuffer: 2 ** 26 })

const report = parse(stdout)
const counts = report?.metadata?.vulnerabilities
if (error || counts === undefined) {
  console.log(
    `The registry offers no audit${report?.statusCode ? ` (status ${report.statusCode})` : ''}. Nothing was checked.`,
  )
} else {
  const severe = Object.values(report.vulnerabilities ?? {}).filter(({ severity }) => /high|critical/.test(severity))
  for (const { name, severity, range } of severe) console.error(`${name} ${range}: ${severity}`)
  console.log(`${counts.total} known vulnerabilities, ${severe.length} of high severity.`)
  if (severe.length > 0) process.exitCode = 1
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
