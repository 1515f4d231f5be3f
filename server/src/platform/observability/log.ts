import { type DestinationStream, type Logger, pino } from 'pino'
import type { Traces } from './traces.ts'

/**
 * Field names whose values grant access or identify a person. Redacted at the top level of a line and one level below.
 */
const secretFields = [
  'authorization',
  'token',
  'accessToken',
  'signature',
  'phone',
  'otp',
  'email',
  'password',
  'secret',
  // PostgreSQL quotes the whole row that violates a constraint in this field of its error.
  'detail',
]

/**
 * Creates the process's structured logger. Requests are logged by route pattern, so no line holds an id from a path.
 * `traces` adds the trace of each line.
 */
export function createLog(
  level: string,
  destination?: DestinationStream,
  traces: Pick<Traces, 'logFields'> | null = null,
): Logger {
  return pino(
    {
      ...(traces && { mixin: traces.logFields }),
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
      serializers: { req: (request: { id: string }) => ({ id: request.id }) },
    },
    ...(destination ? [destination] : []),
  )
}

/**
 * Returns a logger for lines that reveal an attack, such as security events and seals. It writes them at every
 * LOG_LEVEL except `silent`, which production rejects: an operator who wants less text must not lose them.
 */
export function trailOf(log: Logger): Logger {
  return log.level === 'silent' ? log : log.child({}, { level: 'info' })
}

/**
 * Returns a logger that does not redact, for lines with a fixed set of safe fields. Every request writes such a line,
 * and redaction would be a large part of its cost.
 */
export function withoutRedaction(log: Logger): Logger {
  return log.child({}, { redact: [] })
}
