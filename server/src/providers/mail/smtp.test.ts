import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import { testCertificate } from '../../../test/support/vendors/certificate.ts'
import type { SmtpConfig } from '../../config/mail.ts'
import { UpstreamError } from '../../lib/errors.ts'
import { createSmtpMail } from './smtp.ts'

type Received = { from: string; to: string[]; text: string; isEncrypted: boolean; user: unknown }

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A local mail server that stores received mail. The login is `purser`, `secret`. */
async function mailServer(options: SMTPServerOptions = {}): Promise<{ port: number; received: Received[] }> {
  const received: Received[] = []
  const server = new SMTPServer({
    ...testCertificate,
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'purser' && password === 'secret' ? done(null, { user: username }) : done(new Error('no')),
    async onData(stream, session, done) {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk)
      const { mailFrom, rcptTo } = session.envelope
      received.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        text: Buffer.concat(chunks).toString(),
        isEncrypted: session.secure,
        user: session.user,
      })
      done()
    },
    ...options,
  })
  // The tests assert on the client's certificate errors, so the server ignores them.
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  stops.push(() => server.close())
  const address = listening.address()
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, received }
}

const mailTo = (port: number, more: Partial<SmtpConfig> = {}, trusted: string | null = testCertificate.cert) =>
  createSmtpMail(
    { host: '127.0.0.1', port, security: 'starttls', login: null, from: 'Purser <codes@purser.example>', ...more },
    trusted === null ? {} : { trusted },
  )

test('a code is mailed over STARTTLS from the programme to one recipient', async () => {
  const { port, received } = await mailServer()
  await mailTo(port, { login: { user: 'purser', password: 'secret' } }).sendCode('ada@example.org', '042137')
  expect(received).toMatchObject([
    { from: 'codes@purser.example', to: ['ada@example.org'], isEncrypted: true, user: 'purser' },
  ])
  const [{ text } = { text: '' }] = received
  expect(text).toContain('Your code is 042137.')
  expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(text).toMatch(/^To: ada@example\.org\r$/m)
})

test('a code is mailed over implicit TLS', async () => {
  const { port, received } = await mailServer({ secure: true })
  await mailTo(port, { security: 'tls' }).sendCode('ada@example.org', '1')
  expect(received).toMatchObject([{ isEncrypted: true, user: undefined }])
})

test('a code is mailed without encryption where that is configured', async () => {
  const { port, received } = await mailServer()
  await mailTo(port, { security: 'none' }, null).sendCode('ada@example.org', '1')
  expect(received).toMatchObject([{ isEncrypted: false }])
})

test.each<[string, SMTPServerOptions, Partial<SmtpConfig>, string | null]>([
  ['a server that cannot encrypt', { disabledCommands: ['STARTTLS'] }, {}, testCertificate.cert],
  ['an untrusted certificate', {}, {}, null],
  ['a wrong password', {}, { login: { user: 'purser', password: 'other' } }, testCertificate.cert],
  [
    'a recipient rejected without a reason',
    { hideENHANCEDSTATUSCODES: true, onRcptTo: (_to, _session, done) => done(new Error('no')) },
    {},
    testCertificate.cert,
  ],
  [
    'a rejected client',
    { onRcptTo: (_to, _session, done) => done(Object.assign(new Error('relaying denied'), { responseCode: 554 })) },
    {},
    testCertificate.cert,
  ],
  [
    'a full disk',
    { onData: (stream, _session, done) => void stream.resume().on('end', () => done(new Error('full'))) },
    {},
    testCertificate.cert,
  ],
])(
  'no code is mailed and an upstream error is thrown after this failure: %s',
  async (_what, options, more, trusted) => {
    const { port, received } = await mailServer(options)
    await expect(mailTo(port, more, trusted).sendCode('ada@example.org', '1')).rejects.toThrow(UpstreamError)
    expect(received).toEqual([])
  },
)

test('a rejection for a missing mailbox is not a failure of the mail server', async () => {
  const { port, received } = await mailServer({
    onRcptTo: (_to, _session, done) => done(new Error('5.1.1 no such mailbox')),
  })
  expect(await mailTo(port).sendCode('ada@example.org', '1')).toBe(false)
  expect(received).toEqual([])
})

test('an error of the mail server does not quote the address', async () => {
  const { port } = await mailServer({
    onRcptTo: ({ address }, _session, done) =>
      done(Object.assign(new Error(`<${address}>: Relay access denied`), { responseCode: 554 })),
  })
  const failure = await mailTo(port)
    .sendCode('ada@example.org', '1')
    .catch((thrown: unknown) => thrown)
  expect(inspect(failure)).toContain('the mail server responded to RCPT TO with 554')
  expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('ada@example.org')
})

test('an unreachable mail server is an upstream error', async () => {
  await expect(mailTo(1).sendCode('ada@example.org', '1')).rejects.toThrow(UpstreamError)
})

test('sending an email to a mail server that hangs fails after five seconds', async () => {
  const silent = createServer()
  const open: Socket[] = []
  silent.on('connection', (socket) => open.push(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  stops.push(() => {
    for (const socket of open) socket.destroy()
    silent.close()
  })
  const address = silent.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const began = performance.now()
  await expect(mailTo(port).sendCode('ada@example.org', '1')).rejects.toThrow(UpstreamError)
  expect(performance.now() - began).toBeLessThan(20_000)
})

test('an email address cannot inject a header or another recipient', async () => {
  const { port, received } = await mailServer()
  const mail = mailTo(port)
  for (const address of ['ada@example.org\r\nBcc: eve@example.org', 'ada@example.org, eve@example.org']) {
    await mail.sendCode(address, '1').catch(() => {})
  }
  for (const { to, text } of received) {
    expect(to).not.toContain('eve@example.org')
    expect(text).not.toMatch(/^Bcc:/im)
  }
})
