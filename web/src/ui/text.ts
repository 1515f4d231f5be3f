import { useLanguage } from '../lib/language.tsx'
import type { UiMessages } from './text/en.ts'

/** Returns the messages that all pages share. Each catalog has them under `ui`. */
export function useUiText(): UiMessages {
  return (useLanguage().messages as { readonly ui: UiMessages }).ui
}

/** Returns the words for a decline. A newer service may decline with a code that these messages lack. */
export function declineText(
  ui: UiMessages,
  { code, message }: { readonly code: string; readonly message: string },
): string {
  const known: Readonly<Record<string, string>> = ui.words.declines
  return known[code] ?? message
}
