import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * Structured lines. What could let somebody in, or tells who somebody is, is cut out wherever it stands;
 * requests are logged by route pattern, so no id or cursor of a path is either.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const secret = [
    'authorization',
    'token',
    'accessToken',
    'signature',
    'message.signature',
    'phone',
    'otp',
    'email',
    'password',
    'secret',
  ]
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secret.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
      serializers: { err: pino.stdSerializers.err, req: (request: { id: string }) => ({ id: request.id }) },
    },
    ...(destination ? [destination] : []),
  )
}
