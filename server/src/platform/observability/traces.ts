import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Db } from '../db/db.ts'
import type { DueWork } from '../jobs/jobs.ts'

/**
 * Traces of requests and of due work, in the form of OpenTelemetry. A span has the names of routes, statements, ports
 * and tables, and the id of the request. It has no other id, no parameter and no message of an error.
 */
export type Traces = {
  /** Adds a span for each request, as a child of the span that its `traceparent` header names. */
  traceRequests(app: FastifyInstance): void
  /** Returns a database whose statements are spans of the request or of the due work that runs them. */
  traceDb(db: Db): Db
  /** Returns a port whose calls are spans of the request or of the due work that makes them. */
  tracePort<P extends object | null>(name: string, port: P): P
  traceWork(work: DueWork): DueWork
  /** Fields that lead from a log line to its trace. */
  logFields(): { readonly traceId?: string }
  /** Sends the spans that are left. */
  stop(): Promise<void>
}

/** Null: traces are off. OpenTelemetry is then not even loaded. */
export async function openTraces(config: Pick<Config, 'traces'>, log: () => Logger): Promise<Traces | null> {
  const { endpoint } = config.traces
  if (endpoint === null) return null
  const { createTraces } = await import('./open-telemetry.ts')
  return createTraces({ ...config.traces, endpoint }, log)
}
