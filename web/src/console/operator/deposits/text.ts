import { loadedMessages } from '../../../lib/language.tsx'
import type { DepositMessages } from './text/en.ts'

/** Returns the messages about deposits. */
export const useDepositText: () => DepositMessages = loadedMessages({
  en: async () => (await import('./text/en.ts')).deposits,
  de: async () => (await import('./text/de.ts')).deposits,
})
