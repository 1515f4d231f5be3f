import { createContext, type ReactNode, startTransition, use, useContext, useMemo, useState } from 'react'
import { keep, recall } from './storage.ts'

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' }
const isLanguage = (text: string | undefined | null): text is Language => text === 'en' || text === 'de'

function firstLanguage(): Language {
  const stored = recall('language')
  if (isLanguage(stored)) return stored
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en'
}

type Value = {
  readonly language: Language
  /** The locale of numbers and dates. */
  readonly locale: string
  readonly messages: unknown
  readonly setLanguage: (language: Language) => Promise<void>
}

const Context = createContext<Value | null>(null)

export type Catalogs<Messages> = Readonly<Record<Language, () => Promise<Messages>>>

/** Loads the messages of the first language before anything is shown. */
export async function loadLanguage<Messages>(
  catalogs: Catalogs<Messages>,
): Promise<{ first: Language; messages: Messages }> {
  const first = firstLanguage()
  document.documentElement.lang = first
  return { first, messages: await catalogs[first]() }
}

type Props<Messages> = {
  readonly catalogs: Catalogs<Messages>
  readonly first: Language
  readonly messages: Messages
  readonly children: ReactNode
}

export function LanguageProvider<Messages>({ catalogs, first, messages, children }: Props<Messages>) {
  const [current, setCurrent] = useState({ language: first, messages })
  const value = useMemo<Value>(
    () => ({
      ...current,
      locale: locales[current.language],
      async setLanguage(language) {
        const next = await catalogs[language]()
        document.documentElement.lang = language
        keep('language', language)
        // The page stays visible while a part of it loads its own messages.
        startTransition(() => setCurrent({ language, messages: next }))
      },
    }),
    [current, catalogs],
  )
  return <Context value={value}>{children}</Context>
}

export function useLanguage(): Value {
  const value = useContext(Context)
  if (value === null) throw new Error('LanguageProvider is missing')
  return value
}

/** Returns a hook that reads messages which a part of the page loads by itself, when it is first shown. */
export function loadedMessages<Messages>(catalogs: Catalogs<Messages>): () => Messages {
  const loads = new Map<Language, Promise<Messages>>()
  function load(language: Language): Promise<Messages> {
    const known = loads.get(language)
    if (known !== undefined) return known
    const loading = catalogs[language]()
    loads.set(language, loading)
    loading.catch(() => loads.delete(language))
    return loading
  }
  return function useMessages() {
    return use(load(useLanguage().language))
  }
}
