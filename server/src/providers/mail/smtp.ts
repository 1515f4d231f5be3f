import { createTransport } from 'nodemailer'
import type { SmtpConfig } from '../../config/mail.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { MailProvider } from './mail.ts'

/** A short deadline for each step of a delivery, because a person waits for the response. */
const deadlineMilliseconds = 5_000

type SmtpOptions = { readonly trusted?: string }

/**
 * Opens connections to the programme's SMTP server (RFC 5321). `tls` encrypts from the first byte. `starttls` upgrades
 * the connection, or fails without sending. `trusted` replaces the certificate authorities that Node.js trusts.
 */
function transportOf({ host, port, security, login }: SmtpConfig, { trusted }: SmtpOptions) {
  return createTransport({
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
    // Mails contain only our own text, so the library must never read files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Connects and logs in without sending anything. Throws if mail could not be sent. */
export async function verifySmtp(config: SmtpConfig, options: SmtpOptions = {}): Promise<void> {
  await transportOf(config, options)
    .verify()
    .catch((error: unknown) => {
      throw Object.assign(new Error(Object(unquoted(error)).message), { code: Object(error).code })
    })
}

/** Sends mail through the programme's SMTP server. */
export function createSmtpMail(config: SmtpConfig, options: SmtpOptions = {}): MailProvider {
  const transport = transportOf(config, options)
  const { from } = config
  return {
    async sendCode(email, code) {
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: email },
          subject: 'Your code',
          text: `Your code is ${code}.\n\nIt is valid for 10 minutes and works once. If you did not request it, ignore this email.\n`,
          // Suppresses automatic replies (RFC 3834).
          headers: { 'auto-submitted': 'auto-generated' },
        })
        return true
      } catch (error) {
        if (hasNoMailbox(error)) return false
        throw new UpstreamError('mail', 'unavailable', unquoted(error))
      }
    },
  }
}

/**
 * Returns whether the server rejected the recipient's address (RFC 3463, section 3.2). A bare 550 does not say so:
 * servers also send it to a client that they block.
 */
function hasNoMailbox(error: unknown): boolean {
  const { command, response } = Object(error)
  return command === 'RCPT TO' && /^5\d\d[ -]5\.1\.(?:1|2|3|6|10)\b/.test(response)
}

/** Replaces a server's response with its code. The response often quotes the address, which must not reach the log. */
function unquoted(error: unknown): unknown {
  const { command, responseCode } = Object(error)
  return responseCode === undefined ? error : new Error(`the mail server responded to ${command} with ${responseCode}`)
}
