import type { WebhookEvent } from './models.ts'
import { replayWindow, type UnwrapOptions, unwrap, WebhookError, type WebhookHeaders } from './webhook-signature.ts'

/** Processes one event. If it throws, the service delivers the event again. */
export type EventHandler = (event: WebhookEvent) => unknown

export type ReceiverOptions = Omit<UnwrapOptions, 'now'> & {
  /** The keys of the endpoint. A function reads them for each delivery, so that a rotation needs no restart. */
  readonly keys: readonly string[] | (() => readonly string[] | Promise<readonly string[]>)
  /** Called with a verified test event, whose data is invented. The handler never gets one. */
  readonly onTestEvent?: (event: WebhookEvent) => unknown
  /** Called when the handler or the window throws, the keys cannot be read, or the sender disconnects within a body. */
  readonly onError?: (error: unknown) => unknown
}

/** The status for each reason to reject a delivery. Of these statuses, the service retries only 503. */
const statuses: Readonly<Record<WebhookError['code'], number>> = {
  MISSING_HEADER: 400,
  TOO_OLD: 400,
  INVALID_SIGNATURE: 401,
  INVALID_BODY: 400,
  REPEATED: 204,
  IN_PROGRESS: 503,
}

/** Deliveries have a few kilobytes. */
const maxBodyBytes = 1024 * 1024

type Receive = (readBody: () => string | number | Promise<string | number>, headers: WebhookHeaders) => Promise<number>

/**
 * Returns a function that processes one delivery and returns the status of the response. It never throws, because an
 * unhandled rejection ends a Node.js server. `readBody` returns the raw body, or the status that rejects it.
 */
function receiver(handle: EventHandler, { keys, onError, onTestEvent, ...options }: ReceiverOptions): Receive {
  const window = options.window ?? replayWindow()

  async function report(error: unknown): Promise<number> {
    try {
      await onError?.(error)
    } catch {}
    return 500
  }

  async function processEvent(event: WebhookEvent): Promise<number> {
    try {
      await (event.test === true ? onTestEvent?.(event) : handle(event))
      await window.finish(event.id, true)
      return 204
    } catch (error) {
      await report(error)
      await window.finish(event.id, false)
      return 500
    }
  }

  return async (readBody, headers) => {
    try {
      const body = await readBody()
      if (typeof body === 'number') return body
      const known = typeof keys === 'function' ? await keys() : keys
      return await processEvent(await unwrap(body, headers, known, { ...options, window }))
    } catch (error) {
      return error instanceof WebhookError ? statuses[error.code] : report(error)
    }
  }
}

/** Returns a handler of web requests, for Deno, Bun, Next.js, Hono and workers. */
export function fetchHandler(handle: EventHandler, options: ReceiverOptions): (request: Request) => Promise<Response> {
  const receive = receiver(handle, options)
  return async ({ body, headers }) => {
    const status = await receive(() => (body === null ? '' : readChunks(body, headers.get('content-length'))), headers)
    return new Response(null, { status })
  }
}

type NodeRequest = AsyncIterable<Uint8Array> & {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: unknown
}
type NodeResponse = { statusCode: number; end(): unknown }

/**
 * Returns a handler for Express and for servers of Node.js. Mount it before `express.json()`, because the signature
 * covers the raw body. A body of `express.raw()` or `express.text()` works too.
 */
export function expressHandler(
  handle: EventHandler,
  options: ReceiverOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const receive = receiver(handle, options)
  return async (request, response) => {
    response.statusCode = await receive(() => readNodeBody(request), request.headers)
    response.end()
  }
}

function readNodeBody(request: NodeRequest): string | Promise<string | number> {
  const { body, headers } = request
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  if (body !== undefined) throw new TypeError('mount the webhook handler before express.json()')
  return readChunks(request, headers['content-length'])
}

type Chunks = AsyncIterable<Uint8Array> | NonNullable<Request['body']>

/**
 * Returns the text, or 413 if it is too large. Trusts a Content-Length above the limit and rejects before reading, so
 * that the sender receives the 413.
 */
async function readChunks(chunks: Chunks, length: unknown): Promise<string | 413> {
  if (Number(length) > maxBodyBytes) return 413
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  // Streams are iterable in every server runtime, although the types of browsers do not say so.
  for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > maxBodyBytes) return 413
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

type FastifyRequest = { readonly headers: NodeRequest['headers']; readonly body: unknown }
type FastifyReply = { code(status: number): { send(): unknown } }
type FastifyScope = {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(type: string, options: { parseAs: 'string'; bodyLimit: number }, parse: FastifyParser): unknown
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown
}
type FastifyParser = (request: unknown, body: string, done: (error: null, body: string) => void) => void

/** Returns a plugin for Fastify: `await app.register(fastifyHandler(handle, { keys, path: '/webhooks' }))`. */
export function fastifyHandler(
  handle: EventHandler,
  { path, ...options }: ReceiverOptions & { readonly path: string },
): (scope: FastifyScope) => Promise<void> {
  const receive = receiver(handle, options)
  return async (scope) => {
    // The plugin has a scope of its own, so the routes of the app keep their parsers.
    scope.removeAllContentTypeParsers()
    const limits = { parseAs: 'string', bodyLimit: maxBodyBytes } as const
    scope.addContentTypeParser('application/json', limits, (_request, body, done) => done(null, body))
    scope.post(path, async ({ body, headers }, reply) => reply.code(await receive(() => String(body), headers)).send())
  }
}
