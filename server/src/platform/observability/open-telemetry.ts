import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Queryable, Tx } from '../db/db.ts'
import type { DueWork } from '../jobs/jobs.ts'
import type { Traces } from './traces.ts'

type Collector = {
  readonly endpoint: string
  readonly headers: string | null
  /** From 0 to 1. */
  readonly sampledShare: number
}

const exportMilliseconds = 3_000
const failureLoggedEveryMilliseconds = 60_000

/** Probes and scrapes come every few seconds, and say nothing in a trace. */
const untracedRoutes = new Set(['/health', '/health/ready', '/metrics'])

/**
 * Works without the global objects of OpenTelemetry, because the service can be embedded in a program that has its own.
 */
export function createTraces(collector: Collector, log: () => Logger): Traces {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'purser' }),
    sampler: samplerOf(collector.sampledShare),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: createExporter(collector, log), exportTimeoutMillis: exportMilliseconds }),
    ],
  })
  const tracer = provider.getTracer('purser')
  const propagator = new W3CTraceContextPropagator()
  const current = new AsyncLocalStorage<Context>()
  const contexts = new WeakMap<FastifyRequest, Context>()

  /** Runs `work` in a new span below `parent`. */
  async function within<T>(
    parent: Context,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: () => Promise<T>,
  ) {
    const span = tracer.startSpan(name, { kind, attributes }, parent)
    try {
      return await current.run(trace.setSpan(parent, span), work)
    } catch (error) {
      markFailed(span, error)
      throw error
    } finally {
      span.end()
    }
  }

  /** Work outside requests and due work, such as the scan for due work, has no span. */
  function child<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
    const parent = current.getStore()
    return parent === undefined ? work() : within(parent, name, SpanKind.CLIENT, attributes, work)
  }

  function statement<T>(text: string, work: () => Promise<T>): Promise<T> {
    return child(statementName(text), { 'db.system.name': 'postgresql', 'db.query.text': text }, work)
  }

  function traceStatements<Q extends Queryable>(db: Q): Q {
    return { ...db, query: (text, values) => statement(text, () => db.query(text, values)) }
  }

  function traceTransaction(tx: Tx): Tx {
    const send: Tx['send'] = (text, values) => {
      const parent = current.getStore()
      if (parent) trace.getSpan(parent)?.addEvent(statementName(text), { 'db.query.text': text })
      tx.send(text, values)
    }
    return { ...traceStatements(tx), send }
  }

  const inDatabase = { 'db.system.name': 'postgresql' }

  return {
    traceRequests(app) {
      app.addHook('onRequest', (request, _reply, done) => {
        const { method, routeOptions } = request
        const route = routeOptions.url
        if (route !== undefined && untracedRoutes.has(route)) return done()
        const getter = { get: (headers: object, key: string) => Object(headers)[key], keys: Object.keys }
        const parent = propagator.extract(ROOT_CONTEXT, request.headers, getter)
        const attributes = {
          'http.request.method': method,
          ...(route !== undefined && { 'http.route': route }),
          'purser.request_id': request.id,
        }
        const name = route === undefined ? method : `${method} ${route}`
        const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
        const context = trace.setSpan(parent, span)
        contexts.set(request, context)
        current.run(context, done)
      })
      // The end of the body arrives outside the context in which the request began.
      app.addHook('preValidation', (request, _reply, done) => {
        const context = contexts.get(request)
        if (context) current.run(context, done)
        else done()
      })
      app.addHook('onError', (request, _reply, error, done) => {
        spanOf(request)?.setAttribute('error.type', errorType(error))
        done()
      })
      app.addHook('onResponse', (request, reply, done) => {
        endRequest(request, reply.statusCode)
        done()
      })
      app.addHook('onRequestAbort', (request, done) => {
        spanOf(request)?.setAttribute('error.type', 'aborted')
        endRequest(request, null)
        done()
      })
    },
    traceDb(db) {
      const { reader } = db
      return {
        ...traceStatements(db),
        reader: {
          batch: (text, values) => statement(text, () => reader.batch(text, values)),
          query: (text, values) => statement(text, () => reader.query(text, values)),
          eachRow: (text, values, sink) => statement(text, () => reader.eachRow(text, values, sink)),
        },
        transaction: (work, userId) =>
          child('transaction', inDatabase, () => db.transaction((tx) => work(traceTransaction(tx)), userId)),
        snapshot: (work) => child('snapshot', inDatabase, () => db.snapshot((inner) => work(traceStatements(inner)))),
      }
    },
    tracePort(name, port) {
      if (port === null) return port
      return new Proxy(port, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key)
          if (typeof member !== 'function' || typeof key !== 'string') return member
          return (...given: readonly unknown[]) => {
            const parent = current.getStore()
            if (parent === undefined) return member.apply(target, given)
            const span = tracer.startSpan(`${name}.${key}`, { kind: SpanKind.CLIENT }, parent)
            const result: unknown = current.run(trace.setSpan(parent, span), () => member.apply(target, given))
            // A method that returns no promise makes no call. Its span never ends, so it is never sent.
            if (result instanceof Promise) result.catch((error) => markFailed(span, error)).finally(() => span.end())
            return result
          }
        },
      })
    },
    traceWork: (work: DueWork): DueWork => ({
      ...work,
      run: (ctx, key) => within(ROOT_CONTEXT, `due ${work.table}`, SpanKind.INTERNAL, {}, () => work.run(ctx, key)),
    }),
    logFields() {
      const context = current.getStore()
      const traceId = context && trace.getSpanContext(context)?.traceId
      return traceId === undefined ? {} : { traceId }
    },
    // A failed export is already logged.
    stop: () => provider.shutdown().catch(() => {}),
  }

  function spanOf(request: FastifyRequest): Span | undefined {
    const context = contexts.get(request)
    return context && trace.getSpan(context)
  }

  function endRequest(request: FastifyRequest, status: number | null): void {
    const span = spanOf(request)
    contexts.delete(request)
    if (span === undefined) return
    if (status !== null) span.setAttribute('http.response.status_code', status)
    if (status === null || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }
}

/**
 * Returns a sampler that selects requests at random, regardless of the sampling decision and the trace id of the caller.
 * Otherwise, a client could have all its requests traced.
 */
function samplerOf(share: number): ParentBasedSampler {
  const own: Sampler = {
    shouldSample: () => ({
      decision: Math.random() < share ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    }),
    toString: () => `random share of ${share}`,
  }
  return new ParentBasedSampler({ root: own, remoteParentSampled: own, remoteParentNotSampled: own })
}

/** A collector that is down loses spans, and nothing else. */
function createExporter({ endpoint, headers }: Collector, log: () => Logger): SpanExporter {
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    headers: Object.fromEntries((headers ?? '').split(',').filter(Boolean).map(headerOf)),
    timeoutMillis: exportMilliseconds,
  })
  let lastLogged = Number.NEGATIVE_INFINITY
  function onResult(spans: readonly ReadableSpan[], result: ExportResult): void {
    const now = performance.now()
    if (result.code === ExportResultCode.SUCCESS || now - lastLogged < failureLoggedEveryMilliseconds) return
    lastLogged = now
    log().warn({ spans: spans.length, reason: result.error?.message }, 'traces were not accepted by their collector')
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        onResult(spans, result)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  }
}

function headerOf(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
}

/** Returns the first word and the first table or function of a statement, such as `select card`. */
function statementName(text: string): string {
  const [verb = 'statement'] = /\b[a-z]+\b/i.exec(text.replace(/^(\s*--.*\n)*/, '')) ?? []
  const [, name] =
    /^\s*select\s+([a-z_]+)\(/i.exec(text) ?? /\b(?:from|into|update)\s+(?:lateral\s+)?([a-z_]+)/i.exec(text) ?? []
  return name === undefined ? verb : `${verb} ${name}`
}

function markFailed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', errorType(error))
}

function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
