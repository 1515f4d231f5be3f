import { loadedMessages } from '../../../lib/language.tsx'
import type { ReviewMessages } from './text/en.ts'

/** Returns the messages about reviews. */
export const useReviewText: () => ReviewMessages = loadedMessages({
  en: async () => (await import('./text/en.ts')).reviews,
  de: async () => (await import('./text/de.ts')).reviews,
})
