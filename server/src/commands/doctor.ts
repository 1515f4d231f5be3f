import { parseArgs } from 'node:util'
import { examine } from './examine.ts'
import { reportFindings } from './findings.ts'

/**
 * Checks an installation before it goes live: the configuration by the rules of production, and everything that it
 * names. Reads only. Each problem is a sentence that begins with its subject. The exit code is 0 without problems, else
 * 1.
 */
const { json } = parseArgs({ options: { json: { type: 'boolean', default: false } } }).values
reportFindings(await examine(process.env), json)
