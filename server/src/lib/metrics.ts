import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'

export type Metrics = {
  readonly registry: Registry
  readonly requestSeconds: Histogram<'method' | 'route' | 'status'>
  readonly eventConflicts: Counter<'source'>
}

/** One registry a process. Labels are route patterns and codes only, never ids: their number stays bounded. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'purser_http_request_seconds',
      help: 'Time from the request to its answer, by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    }),
    eventConflicts: new Counter({
      name: 'purser_event_conflicts_total',
      help: 'Events that came again under the same id with another body: each needs a person.',
      labelNames: ['source'],
      registers: [registry],
    }),
  }
}
