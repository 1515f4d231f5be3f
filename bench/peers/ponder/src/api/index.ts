import { Hono } from 'hono'

// Ponder requires an API. The benchmark does not use it.
export default new Hono()
