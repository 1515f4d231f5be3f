import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Channel, type ChannelOptions, openChannel } from './outbound.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function listen(respond: RequestListener): Promise<number> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Starts a server that writes raw bytes. */
async function listenRaw(speak: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createSocketServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => speak(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function open(more: Partial<ChannelOptions> = {}): Channel {
  const limits = { mayReachPrivate: true, maxConnections: 4, deadlineMilliseconds: 1000, maxBytes: 1000 }
  const channel = openChannel({ ...limits, ...more })
  closing.push(() => channel.close())
  return channel
}

const post = { method: 'POST', body: '{"a":"ä"}', headers: { 'content-type': 'application/json' } } as const

test('a request arrives byte for byte and its response is returned', async () => {
  let received = ''
  const port = await listen((request, response) => {
    request.setEncoding('utf8')
    request.on('data', (text) => {
      received += text
    })
    request.on('end', () => response.writeHead(503, { 'retry-after': '7' }).end('later'))
  })
  const answer = await open().send(`http://localhost:${port}/hook?x=1`, post)
  expect(answer).toEqual({ status: 503, retryAfter: '7', text: 'later' })
  expect(received).toBe(post.body)
})

test('a name is resolved once per connection, and the connection goes to the checked address', async () => {
  const port = await listen((_request, response) => response.end('ours'))
  let asked = 0
  const resolve = async () => {
    asked++
    // A second DNS response would lead into the private network.
    return asked === 1 ? ['127.0.0.1'] : ['10.0.0.1']
  }
  // One connection, since a second request may otherwise open another one, which is resolved and checked again.
  const channel = open({ resolve, maxConnections: 1 })
  expect((await channel.send(`http://rebind.example:${port}/`, post)).text).toBe('ours')
  expect((await channel.send(`http://rebind.example:${port}/`, post)).text).toBe('ours')
  expect(asked).toBe(1)
})

test.each([
  ['http://127.0.0.1:PORT/', []],
  ['http://2130706433:PORT/', []],
  ['http://0x7f.1:PORT/', []],
  ['http://[::ffff:127.0.0.1]:PORT/', []],
  ['http://[::1]:PORT/', []],
  ['http://169.254.169.254/latest/meta-data/', []],
  ['http://inside.example:PORT/', ['127.0.0.1']],
  ['http://mixed.example:PORT/', ['93.184.216.34', '127.0.0.1']],
  ['http://six.example:PORT/', ['::1']],
])('outside the sandbox, a request to %s fails before anything is sent', async (url, addresses) => {
  let requests = 0
  const port = await listen((_request, response) => {
    requests++
    response.end()
  })
  const channel = open({ mayReachPrivate: false, resolve: async () => addresses })
  await expect(channel.send(url.replace('PORT', String(port)), post)).rejects.toThrow('the host has a private address')
  expect(requests).toBe(0)
})

test('the sandbox reaches this machine but not a metadata service', async () => {
  const port = await listen((_request, response) => response.end('here'))
  expect((await open().send(`http://127.0.0.1:${port}/`, post)).text).toBe('here')
  await expect(open().send('http://169.254.169.254/', post)).rejects.toThrow('the host has a private address')
  const resolve = async () => ['169.254.169.254']
  await expect(open({ resolve }).send('http://metadata.example/', post)).rejects.toThrow(
    'the host has a private address',
  )
})

test('a redirect is returned and not followed', async () => {
  let requests = 0
  const port = await listen((_request, response) => {
    requests++
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
  })
  expect((await open().send(`http://127.0.0.1:${port}/`, post)).status).toBe(302)
  expect(requests).toBe(1)
})

test('a request to a server that hangs or drips bytes fails at the deadline', async () => {
  const hanging = await listenRaw(() => {})
  const slow = await listenRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n')
    const drip = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(drip))
  })
  const slowHead = await listenRaw((socket) => {
    const drip = setInterval(() => socket.write('H'), 20)
    socket.on('close', () => clearInterval(drip))
  })
  const startedAt = performance.now()
  const channel = open({ deadlineMilliseconds: 200 })
  const answers = await Promise.allSettled(
    [hanging, slow, slowHead].map((port) => channel.send(`http://127.0.0.1:${port}/`, post)),
  )
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(answers.slice(0, 2)).toMatchObject([
    { reason: { message: 'no complete response in time' } },
    { reason: { message: 'no complete response in time' } },
  ])
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

test('an endless response is truncated at the limit', async () => {
  let written = 0
  const port = await listen((_request, response) => {
    response.on('error', () => {})
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000))) written += 10_000
    }
    response.on('drain', pour)
    pour()
  })
  const answer = await open().send(`http://127.0.0.1:${port}/`, post)
  expect(answer.status).toBe(200)
  expect(answer.text).toBe('x'.repeat(1000))
  expect(written).toBeLessThan(20_000_000)
})

test('the error of a failed request states the reason', async () => {
  const port = await listen(() => {})
  closing.splice(0).forEach((close) => {
    close()
  })
  await expect(open().send(`http://127.0.0.1:${port}/`, post)).rejects.toThrow('connection refused')
  const none = open({ resolve: async () => [] })
  await expect(none.send('http://nobody.example/', post)).rejects.toThrow('the host name has no address')
  await expect(open().send('ftp://localhost/', post)).rejects.toThrow('the URL must begin with http')
  const reset = await listenRaw((socket) => socket.resetAndDestroy())
  await expect(open().send(`http://127.0.0.1:${reset}/`, post)).rejects.toThrow('connection reset')
})

test('a request survives the loss of an idle connection', async () => {
  const sockets: Socket[] = []
  const port = await listen((request, response) => {
    sockets.push(request.socket)
    response.end('ok')
  })
  const channel = open()
  await channel.send(`http://127.0.0.1:${port}/`, post)
  // The client cannot know yet that the connection is closed.
  const second = channel.send(`http://127.0.0.1:${port}/`, post)
  sockets[0]?.resetAndDestroy()
  expect((await second).text).toBe('ok')
})
