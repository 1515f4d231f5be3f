import { Type } from 'typebox'
import { choice, group, optional, setting, type ValuesOf } from './setting.ts'

export const mail = group('Mail', 'The codes that confirm email addresses.', {
  mail: choice('MAIL_VIA', {
    about: '`smtp` sends mail through `SMTP_HOST`. `sandbox` sends none.',
    sandboxOnly: 'sandbox',
    variants: {
      sandbox: {},
      smtp: {
        host: setting('SMTP_HOST', {
          schema: Type.String(),
          about: 'The name of the mail server.',
          hint: 'Use the name of your mail server.',
        }),
        port: optional('SMTP_PORT', {
          schema: Type.Integer({ minimum: 1, maximum: 65535 }),
          shownDefault: '`465` with `SMTP_SECURITY=tls`, else `587`',
          about: 'The port of the mail server.',
        }),
        security: setting('SMTP_SECURITY', {
          schema: Type.Enum(['starttls', 'tls', 'none']),
          default: 'starttls',
          about:
            '`starttls` encrypts the connection before it logs in; `tls` encrypts from the first byte. Both verify the certificate. In production, `none` is accepted only for a server on this machine.',
        }),
        user: optional('SMTP_USER', {
          schema: Type.String(),
          about: 'The login at the mail server. Set it together with `SMTP_PASSWORD`.',
        }),
        password: optional('SMTP_PASSWORD', {
          schema: Type.String(),
          secret: true,
          about: 'The password of `SMTP_USER`.',
        }),
        from: setting('MAIL_FROM', {
          schema: Type.String({ format: 'mailbox' }),
          about: 'The sender, such as `Purser <codes@example.org>`.',
          hint: 'Use the address that mail comes from.',
        }),
      },
    },
  }),
})

type MailValues = ValuesOf<typeof mail.specs>['mail']

/** Adds the default port to the settings of a mail server, and joins user and password. */
export function mailConfig(values: MailValues) {
  if (values.kind === 'sandbox') return values
  const { port, user, password, ...server } = values
  const login = user === null || password === null ? null : { user, password }
  return { ...server, port: port ?? (server.security === 'tls' ? 465 : 587), login }
}

export type SmtpConfig = Omit<Exclude<ReturnType<typeof mailConfig>, { kind: 'sandbox' }>, 'kind'>
