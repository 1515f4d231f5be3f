import Fastify from 'fastify'

/** The least that an answer of this framework can cost. */
const app = Fastify()
const schema = { response: { 200: { type: 'object', properties: { ok: { type: 'boolean' } } } } }
app.get('/', { schema }, async () => ({ ok: true }))
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
