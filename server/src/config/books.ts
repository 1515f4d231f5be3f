import { Type } from 'typebox'
import { group, setting } from './setting.ts'

export const books = group('Books and retention', 'Checks of the ledger, and personal data.', {
  reconcileEverySeconds: setting('RECONCILE_EVERY_SECONDS', {
    schema: Type.Integer({ minimum: 0, maximum: 604_800 }),
    default: 3600,
    about: 'The interval at which a worker checks the books. `0`: only `npm run reconcile` does.',
  }),
  personalRetentionDays: setting('PERSONAL_RETENTION_DAYS', {
    schema: Type.Integer({ minimum: 0, maximum: 36_500 }),
    default: 1827,
    about: 'Days from closing a user to erasing the personal data. See "Closing and erasing".',
  }),
})
