import Fastify from 'fastify'

/** Serves the cheapest possible response of the framework. */
const app = Fastify()
const schema = { response: { 200: { type: 'object', properties: { ok: { type: 'boolean' } } } } }
app.get('/', { schema }, async () => ({ ok: true }))
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
