import { loadedMessages } from '../../../lib/language.tsx'
import type { UserMessages } from './text/en.ts'

/** Returns the messages of the tabs of a user. */
export const useUserText: () => UserMessages = loadedMessages({
  en: async () => (await import('./text/en.ts')).user,
  de: async () => (await import('./text/de.ts')).user,
})
