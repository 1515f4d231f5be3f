import { sendSteadily } from './authorizations.ts'
import type { SteadyWork } from './steady-sender.ts'

/** The process that `startSteadySender` starts. It ends when its parent disconnects. */
process.on('message', async ({ url, signed, perSecond }: SteadyWork) => {
  process.send?.(await sendSteadily(url, signed, perSecond))
})
