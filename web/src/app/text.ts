import { useLanguage } from '../lib/language.tsx'
import type { AppMessages } from './text/en.ts'

export const useText = (): AppMessages => useLanguage().messages as AppMessages
