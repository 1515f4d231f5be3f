import { parseArgs } from 'node:util'
import { examine } from './examine.ts'
import { isWrongOption, reportFindings } from './findings.ts'

/**
 * Checks an installation before it goes live. Judges the configuration by the rules of production, and checks the
 * database, nodes, signer, host names, card processor, vendors and mail server. Reads only. Each problem is a sentence
 * that begins with its subject. The exit code is 0 without problems, 1 with problems, and 2 for a wrong option.
 */
try {
  const { json } = parseArgs({ options: { json: { type: 'boolean', default: false } } }).values
  reportFindings(await examine(process.env), json)
} catch (error) {
  if (!isWrongOption(error)) throw error
  process.stderr.write('Usage: npm run doctor -- [--json]\n')
  process.exitCode = 2
}
