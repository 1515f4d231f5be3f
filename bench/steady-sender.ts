import { json } from 'node:stream/consumers'
import { type Signed, sendSteadily } from './authorizations.ts'

/**
 * Sends the authorizations that it reads from its input at a steady rate, and writes the milliseconds that each took.
 * It is a process of its own, so that other work of a benchmark does not delay it.
 */
const { url, signed, perSecond } = (await json(process.stdin)) as { url: string; signed: Signed[]; perSecond: number }
process.stdout.write(JSON.stringify(await sendSteadily(url, signed, perSecond)))
