import { createTransport } from 'nodemailer'
import type { SmtpConfig } from '../../config/mail.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { MailProvider } from './mail.ts'

/** A mail server that takes longer is one that does not answer: a person waits for this. */
const deadlineMilliseconds = 5_000

/**
 * Mail through a server of the programme's (SMTP, RFC 5321). With `starttls` the connection becomes encrypted or the mail
 * is not sent; with `tls` it is from the first byte. `trusted` is a certificate of the mail server's own, beside the usual.
 */
export function createSmtpMail(config: SmtpConfig, { trusted }: { trusted?: string } = {}): MailProvider {
  const { host, port, security, login, from } = config
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(login && { auth: { user: login.user, pass: login.password } }),
    ...(trusted === undefined ? {} : { tls: { ca: trusted } }),
    dnsTimeout: deadlineMilliseconds,
    connectionTimeout: deadlineMilliseconds,
    greetingTimeout: deadlineMilliseconds,
    socketTimeout: deadlineMilliseconds,
    // A mail is text of ours: nothing in it is ever fetched or read from a disk.
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  return {
    async sendCode(email, code) {
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: email },
          subject: 'Your code',
          text: `Your code is ${code}.\n\nIt is good for 10 minutes, once. If you did not ask for it, nothing needs to be done.\n`,
          // Nobody's holiday notice shall answer a machine.
          headers: { 'auto-submitted': 'auto-generated' },
        })
      } catch (error) {
        throw new UpstreamError('mail', 'unavailable', unquoted(error))
      }
    },
  }
}

/** What a mail server answers often quotes the address, which belongs into no log: of an answer only its code is told. */
function unquoted(error: unknown): unknown {
  const { command, responseCode } = Object(error)
  return responseCode === undefined ? error : new Error(`${command} was answered ${responseCode}`)
}
