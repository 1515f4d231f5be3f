import { loadedMessages } from '../../lib/language.tsx'
import type { PartnerMessages } from './text/en.ts'

/** Returns the messages of the partner console, which only its pages load. */
export const useText: () => PartnerMessages = loadedMessages({
  en: async () => (await import('./text/en.ts')).partner,
  de: async () => (await import('./text/de.ts')).partner,
})
