export type { components, operations, paths } from './api.ts'
export { createPurser, type Purser, type PurserOptions } from './purser.ts'
export { type SignInOptions, SignInRefused, type Wallet } from './sign-in.ts'
export { type VerifiedWebhook, verifyWebhook, WebhookRefused, type WebhookRequest } from './webhooks.ts'
