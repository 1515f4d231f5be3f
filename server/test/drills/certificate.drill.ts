import { connect } from 'node:tls'
import { expect } from 'vitest'
import { checkBooks } from './books.ts'
import { drill, say } from './needs.ts'
import { withInstallation } from './proxy.ts'
import { report } from './report.ts'

/** The certificate of the proxy is replaced under load, three times. */
const programs = ['/usr/sbin/nginx', '/usr/bin/openssl'] as const
const times = 3

drill('no request fails when the proxy gets a new certificate', { programs }, () =>
  withInstallation(async ({ ground, postgres, nginx, load }) => {
    const serials = [await serialAt(nginx.port)]
    for (let i = 1; i <= times; i++) {
      await load.more(100)
      say(`renewing the certificate, ${i} of ${times}`)
      await nginx.renewCertificate()
      serials.push(await serialAt(nginx.port))
    }
    await load.more(100)
    await load.stop()
    expect(new Set(serials).size).toBe(times + 1)
    expect(load.seen.filter(({ isGood, result }) => !isGood && result !== 'TMO')).toEqual([])
    const books = await checkBooks(ground, load, { connection: postgres.connection })
    await report('certificate', { load, books, figures: { Renewals: String(times) } })
  }),
)

/** Returns the serial number of the certificate that the proxy shows. */
function serialAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { port, host: '127.0.0.1', servername: 'api.example.com', rejectUnauthorized: false },
      () => {
        resolve(socket.getPeerCertificate().serialNumber)
        socket.destroy()
      },
    )
    socket.once('error', reject)
  })
}
