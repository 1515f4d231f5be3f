import { UpstreamError } from '../../lib/errors.ts'
import type { MailProvider } from './mail.ts'

/** Nothing leaves the machine; the code is in the answer. Mail to `…@undeliverable.example` fails, as to a server that is down. */
export function createSandboxMail(): MailProvider {
  return {
    async sendCode(email) {
      if (email.endsWith('@undeliverable.example'))
        throw new UpstreamError('mail', 'unavailable', new Error('scripted failure'))
    },
  }
}
