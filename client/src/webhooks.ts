/** Receives webhooks: verifies deliveries, handles them in common servers, and signs deliveries for tests. */
export * from './webhook-handlers.ts'
export * from './webhook-signature.ts'
