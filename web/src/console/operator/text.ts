import { loadedMessages } from '../../lib/language.tsx'
import type { OperatorMessages } from './text/en.ts'

/** Returns the messages of the operator's screens, which only operators load. */
export const useText: () => OperatorMessages = loadedMessages({
  en: async () => (await import('./text/en.ts')).en,
  de: async () => (await import('./text/de.ts')).de,
})
