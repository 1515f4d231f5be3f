import type { DueWork } from '../../platform/jobs/jobs.ts'
import { advanceIban } from './ibans.ts'

/** Numbers that were asked for, until the provider has given or refused them. */
export const ibanWork: DueWork = {
  table: 'iban',
  id: 'user_id',
  run: advanceIban,
}
