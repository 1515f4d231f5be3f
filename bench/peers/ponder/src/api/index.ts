import { Hono } from 'hono'

// Ponder wants one; nobody asks it anything.
export default new Hono()
