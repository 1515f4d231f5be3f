import type { DueWork } from '../../platform/jobs/jobs.ts'
import { advanceIban } from './ibans.ts'

/** Requests pending IBANs from the provider until each is assigned or rejected. */
export const ibanWork: DueWork = {
  table: 'iban',
  id: 'user_id',
  run: advanceIban,
}
