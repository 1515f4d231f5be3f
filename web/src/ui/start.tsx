import { PurserError } from '@purser/client'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { type Catalogs, LanguageProvider, loadLanguage } from '../lib/language.tsx'
import { applyTheme } from './layout.tsx'
import './styles.css'

/**
 * The SDK retries by itself, so queries do not. Without a network, queries fail at once. The library would otherwise
 * pause them, and the page would show their placeholders forever.
 */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: false,
      staleTime: 1_000,
      refetchOnWindowFocus: (query) => !(query.state.error instanceof PurserError),
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** Shows a page once the messages of its language are loaded. */
export async function start<Messages>(catalogs: Catalogs<Messages>, page: ReactNode): Promise<void> {
  applyTheme()
  const language = await loadLanguage(catalogs)
  const root = document.querySelector('#root')
  if (root === null) throw new Error('the page has no root')
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <LanguageProvider catalogs={catalogs} {...language}>
          {page}
        </LanguageProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
}
