import { loadedMessages } from '../../../lib/language.tsx'
import type { ControlMessages } from './control/en.ts'

/** Returns the messages of the screens about payouts, decisions, books and access, which only these screens load. */
export const useControlText: () => ControlMessages = loadedMessages({
  en: async () => (await import('./control/en.ts')).control,
  de: async () => (await import('./control/de.ts')).control,
})
