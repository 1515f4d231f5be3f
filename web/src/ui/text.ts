import { useLanguage } from '../lib/language.tsx'
import type { UiMessages } from './text/en.ts'

/** Returns the messages that all pages share. Each catalogue has them under `ui`. */
export function useUiText(): UiMessages {
  return (useLanguage().messages as { readonly ui: UiMessages }).ui
}
