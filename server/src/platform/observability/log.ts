import { type DestinationStream, type Logger, pino } from 'pino'

/** Names of what could let somebody in, or tells who somebody is. */
const secrets = new Set([
  'authorization',
  'token',
  'accessToken',
  'signature',
  'phone',
  'otp',
  'email',
  'password',
  'secret',
  // Of PostgreSQL's error: it quotes the row that broke a rule, names and addresses and all.
  'detail',
])

/**
 * Structured lines. What is secret is cut out wherever it stands, one level down too; requests are logged by route
 * pattern, so no id or cursor of a path is either. Done here because the library's own redaction works on each field of
 * each request's logger, which took a twentieth of a short request, line or no line.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: (fields) => censored(fields, 1) },
      serializers: {
        err: (error: unknown) => (error instanceof Error ? censored(pino.stdSerializers.err(error), 0) : error),
        req: (request: { id: string }) => ({ id: request.id }),
      },
    },
    ...(destination ? [destination] : []),
  )
  // The library formats a line's fields, but not those that a logger is made with for all of its lines.
  const { child } = log
  log.child = function (bindings, ...options) {
    return Reflect.apply(child, this, [censored(bindings, 1), ...options])
  }
  return log
}

function censored(fields: object, levelsBelow: number): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (secrets.has(name)) shown[name] = '[redacted]'
    else shown[name] = levelsBelow > 0 && isPlain(value) ? censored(value, levelsBelow - 1) : value
  }
  return shown
}

/** An object that has no serializer of its own. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
