import { useLanguage } from '../lib/language.tsx'
import type { ConsoleMessages } from './text/en.ts'

export const useText = (): ConsoleMessages => useLanguage().messages as ConsoleMessages
