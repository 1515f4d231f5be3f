import { Type } from 'typebox'
import { encryptedUrl } from './outbound.ts'
import { group, optional, setting } from './setting.ts'

/** A header as RFC 9110 writes it, with `=` in place of the colon. */
const header = "[!#$%&'*+.^_`|~0-9A-Za-z-]+=[!-+\\--~][ -+\\--~]*"

/** The names are those of the OpenTelemetry specification, so that the documentation of collectors applies. */
export const traces = group('Traces', 'OpenTelemetry traces. See "Traces".', {
  /** Null: nothing is traced. */
  endpoint: optional('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', {
    schema: Type.String({ format: 'node-url' }),
    inProduction: encryptedUrl,
    about:
      'The URL that receives traces as OTLP in JSON, such as `http://localhost:4318/v1/traces`. Without it, nothing is traced.',
  }),
  headers: optional('OTEL_EXPORTER_OTLP_TRACES_HEADERS', {
    schema: Type.String({
      pattern: `^${header}(, *${header})*$`,
      requirement: 'headers: name=value, separated by commas',
    }),
    secret: true,
    about: 'Headers of the requests to the collector, such as its key: `name=value`, separated by commas.',
  }),
  sampledShare: setting('OTEL_TRACES_SAMPLER_ARG', {
    schema: Type.String({ pattern: '^(0(\\.[0-9]{1,6})?|1(\\.0{1,6})?)$', requirement: 'a number from 0 to 1' }),
    default: '1',
    convert: Number,
    about: 'The share of requests and of due work that is traced, from `0` to `1`.',
  }),
})
