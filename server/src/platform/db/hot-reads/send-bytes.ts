import type { FastifyReply } from 'fastify'
import type { PooledBytes } from './json-page.ts'

/** Sends the bytes as they are, and releases their memory once they are sent or the connection is closed. */
export function sendBytes(reply: FastifyReply, { bytes, release }: PooledBytes): FastifyReply {
  if (reply.raw.destroyed) release()
  else reply.raw.once('close', release)
  return reply.send(bytes)
}
