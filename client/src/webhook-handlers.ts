import type { WebhookEvent } from './models.ts'
import { replayWindow, type UnwrapOptions, unwrap, WebhookError, type WebhookHeaders } from './webhook-signature.ts'

/** Processes one event. If it throws, the service delivers the event again. */
export type EventHandler = (event: WebhookEvent) => unknown

export type ReceiverOptions = Omit<UnwrapOptions, 'now'> & {
  /** The keys of the endpoint. A function reads them for each delivery, so that a rotation needs no restart. */
  readonly keys: readonly string[] | (() => readonly string[] | Promise<readonly string[]>)
  /** Called with a verified test event, whose data is invented. The handler never gets one. */
  readonly onTestEvent?: (event: WebhookEvent) => unknown
  /** Called when the handler throws. */
  readonly onError?: (error: unknown) => void
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
const maxBodyCharacters = 1024 * 1024

/** Returns a function that processes one delivery and returns the status of the response. */
function receiver(handle: EventHandler, { keys, onError, onTestEvent, ...options }: ReceiverOptions) {
  const window = options.window ?? replayWindow()
  return async (body: string, headers: WebhookHeaders): Promise<number> => {
    let event: WebhookEvent
    try {
      event = await unwrap(body, headers, typeof keys === 'function' ? await keys() : keys, { ...options, window })
    } catch (error) {
      if (error instanceof WebhookError) return statuses[error.code]
      onError?.(error)
      return 500
    }
    try {
      await (event.test === true ? onTestEvent?.(event) : handle(event))
      await window.finish(event.id, true)
      return 204
    } catch (error) {
      await window.finish(event.id, false)
      onError?.(error)
      return 500
    }
  }
}

/** Returns a handler of web requests, for Deno, Bun, Next.js, Hono and workers. */
export function fetchHandler(handle: EventHandler, options: ReceiverOptions): (request: Request) => Promise<Response> {
  const receive = receiver(handle, options)
  return async (request) => {
    const body = await request.text()
    return new Response(null, { status: await receive(body, request.headers) })
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
    const body = await readBody(request)
    if (body === 500) options.onError?.(new TypeError('mount the webhook handler before express.json()'))
    response.statusCode = typeof body === 'number' ? body : await receive(body, request.headers)
    response.end()
  }
}

/** Returns the raw body, or the status of the response if there is none. */
async function readBody(request: NodeRequest): Promise<string | 413 | 500> {
  const { body } = request
  if (typeof body === 'string') return body
  const decoder = new TextDecoder()
  if (body instanceof Uint8Array) return decoder.decode(body)
  if (body !== undefined) return 500
  let text = ''
  for await (const chunk of request) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxBodyCharacters) return 413
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
    const limits = { parseAs: 'string', bodyLimit: maxBodyCharacters } as const
    scope.addContentTypeParser('application/json', limits, (_request, body, done) => done(null, body))
    scope.post(path, async ({ body, headers }, reply) => reply.code(await receive(String(body), headers)).send())
  }
}
