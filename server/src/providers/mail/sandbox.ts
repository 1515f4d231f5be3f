import { UpstreamError } from '../../lib/errors.ts'
import type { MailProvider } from './mail.ts'

/**
 * Sends nothing. Mail to `…@undeliverable.example` fails as if the mail server were down. `…@nobody.example` has no
 * mailboxes.
 */
export function createSandboxMail(): MailProvider {
  return {
    async sendCode(email) {
      if (email.endsWith('@undeliverable.example'))
        throw new UpstreamError('mail', 'unavailable', new Error('scripted failure'))
      return !email.endsWith('@nobody.example')
    },
  }
}
