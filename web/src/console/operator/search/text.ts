import { loadedMessages } from '../../../lib/language.tsx'
import type { SearchMessages } from './text/en.ts'

/** Returns the messages of the search. */
export const useSearchText: () => SearchMessages = loadedMessages({
  en: async () => (await import('./text/en.ts')).search,
  de: async () => (await import('./text/de.ts')).search,
})
