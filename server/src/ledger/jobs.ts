import type { Chore } from '../platform/jobs/jobs.ts'
import { measureDebts } from './ledger.ts'

export const debtGauges: Chore = { name: 'measure debts', everySeconds: () => 60, run: measureDebts }
