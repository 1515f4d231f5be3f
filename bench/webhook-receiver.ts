import { createServer } from 'node:http'

/**
 * Plays the servers of ninety partners, which accept every delivery, and some servers that never respond. Reports the
 * delays of the accepted deliveries after their events. It is a separate process, so that its CPU time is not the
 * service's.
 */
let behind: number[] = []
const endpoints = new Set<string>()

const server = createServer((request, response) => {
  const { url = '' } = request
  if (request.method === 'GET') {
    const sorted = behind.toSorted((one, other) => one - other)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    const figures = { deliveries: sorted.length, endpoints: endpoints.size, p50: at(0.5), p99: at(0.99), max: at(1) }
    behind = []
    endpoints.clear()
    return response.end(JSON.stringify(figures))
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (url.startsWith('/hang')) return
    const { createdAt } = JSON.parse(Buffer.concat(chunks).toString())
    behind.push(Date.now() - Date.parse(createdAt))
    endpoints.add(url)
    response.writeHead(204).end()
  })
})
server.listen(Number(process.env['PORT']), '127.0.0.1')
