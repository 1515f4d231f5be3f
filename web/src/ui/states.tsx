import { PurserError } from '@purser/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { type Language, useLanguage } from '../lib/language.tsx'
import { Notice } from './badge.tsx'
import { Button } from './button.tsx'
import { CopyId } from './copy.tsx'
import { formatDate, utcText } from './date.tsx'
import { waitMilliseconds } from './poll.ts'
import type { UiMessages } from './text/en.ts'
import { useUiText } from './text.ts'

/** The states of every screen: loading, empty, error, stale and rate limited. */

type EmptyProps = {
  readonly title: string
  readonly text?: ReactNode
  readonly action?: ReactNode
  /** Nothing else is on the page, so the title is that of the page. */
  readonly isPage?: boolean
}

export function Empty({ title, text, action, isPage = false }: EmptyProps) {
  return (
    <div data-empty className="grid justify-items-center gap-1.5 px-6 py-10 text-center">
      <span aria-hidden="true" className="mb-2 grid size-11 place-items-center rounded-full bg-sunken text-soft">
        <svg viewBox="0 0 20 20" className="size-5" aria-hidden="true">
          <path
            d="M3 11.500l2.300-6.200A2 2 0 0 1 7.200 4h5.600a2 2 0 0 1 1.900 1.300L17 11.500V14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zh4l1 2h4l1-2h4"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.500"
            strokeLinejoin="round"
          />
        </svg>
      </span>
      {isPage ? (
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      ) : (
        <p className="font-medium">{title}</p>
      )}
      {text !== undefined && <p className="max-w-sm text-sm text-balance text-soft">{text}</p>}
      {/* `action` is `false` if the permissions do not cover it. */}
      <div className="mt-3 empty:hidden">{action}</div>
    </div>
  )
}

/** For a page that the permissions do not cover. It names the missing one. */
export function Forbidden({ permission, text }: { permission: string; text: ReactNode }) {
  const ui = useUiText()
  return (
    <div className="grid justify-items-center gap-2 rounded-xl border border-line bg-surface px-6 py-12 text-center shadow-card">
      <p className="font-medium">{ui.forbidden}</p>
      <p className="rounded bg-sunken px-2 py-0.5 font-mono text-[0.8125rem]">{permission}</p>
      <p className="max-w-md text-sm text-soft">{text}</p>
    </div>
  )
}

type Sentences = Readonly<Record<string, string>>

/** The sentences for error codes. Most responses of the service have only the code. */
const translations: Readonly<Record<Language, () => Promise<Sentences>>> = {
  en: async () => (await import('./text/errors/en.ts')).sentences,
  de: async () => (await import('./text/errors/de.ts')).sentences,
}

/**
 * Loads the sentences when the first error is shown. Until they are loaded, the page shows the status and the code in
 * their place.
 */
function useErrorSentences(): Sentences {
  const { language } = useLanguage()
  const [loaded, setLoaded] = useState<Sentences>({})
  useEffect(() => {
    let isCurrent = true
    translations[language]().then(
      (sentences) => isCurrent && setLoaded(sentences),
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [language])
  return loaded
}

/** Returns the sentence for a person. `sentences` are the page's own words for codes. */
function sentenceOf(error: unknown, ui: UiMessages, known: Sentences, sentences: Sentences = {}): string {
  const own = sentences[codeOf(error)]
  if (own !== undefined) return own
  if (!(error instanceof PurserError)) return codeOf(error) === '' ? ui.unexpected : ui.walletRejected
  switch (error.kind) {
    case 'connection':
      return ui.networkError
    case 'timeout':
      return ui.timeout
    case 'rate_limit':
      return ui.rateLimited
    case 'unavailable':
      return ui.unavailable
    case 'server':
      return ui.serverError
    default:
      return known[error.code] ?? (error.message.split(': ').slice(1).join(': ') || error.message)
  }
}

/** Wallets throw plain objects (EIP-1193 gives 4001 when the person rejects), so only the shape can be checked. */
function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

type ErrorProps = {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
  readonly sentences?: Readonly<Record<string, string>>
}

export function ErrorNote({ error, onRetry, sentences }: ErrorProps) {
  const ui = useUiText()
  const isPurser = error instanceof PurserError
  const known = useErrorSentences()
  return (
    <div role="alert" className="rounded-lg border border-line bg-surface p-4 text-sm">
      <p className="font-medium text-bad">{sentenceOf(error, ui, known, sentences)}</p>
      {isPurser && (
        <dl className="mt-2 flex flex-wrap items-center gap-x-6 gap-y-1 text-soft">
          <div>
            <dt className="sr-only">{ui.aboutCode}</dt>
            <dd>
              <a
                href={`/docs/errors/${error.code}/`}
                target="_blank"
                rel="noreferrer"
                className="font-mono text-xs underline"
              >
                {error.code}
              </a>
            </dd>
          </div>
          {error.requestId !== null && (
            <div className="flex items-center gap-2">
              <dt>{ui.requestId}</dt>
              <dd>
                <CopyId id={error.requestId} />
              </dd>
            </div>
          )}
        </dl>
      )}
      <div className="mt-3 empty:hidden">
        <Retry error={error} onRetry={onRetry} />
      </div>
    </div>
  )
}

/** Repeats a request once the service allows it. A form has its own button, so for a form it shows only the seconds. */
function Retry({ error, onRetry }: { error: unknown; onRetry: (() => void) | undefined }) {
  const ui = useUiText()
  const seconds = useCountdown(error)
  if (onRetry === undefined) return seconds > 0 ? <p aria-live="off">{ui.retryIn(seconds)}</p> : null
  return (
    <Button look="secondary" size="sm" onClick={onRetry} disabled={seconds > 0}>
      {seconds > 0 ? ui.retryIn(seconds) : ui.retry}
    </Button>
  )
}

/** Counts down to a time, not from a number: a hidden page has slow timers. */
function useCountdown(error: unknown): number {
  const wait = waitMilliseconds(error)
  const [left, setLeft] = useState(wait)
  // The next error starts a new countdown.
  useEffect(() => {
    const until = Date.now() + wait
    const tick = () => setLeft(Math.max(0, until - Date.now()))
    tick()
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [wait, error])
  return Math.ceil(left / 1000)
}

type QueryProps<Data> = {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'dataUpdatedAt'> & {
    refetch(): unknown
    /** Whether the error is that of a further page. Lists show it below their rows, which are not stale. */
    readonly isFetchNextPageError?: boolean
  }
  /** Has the height of the data, so that nothing jumps. */
  readonly loading: ReactNode
  readonly sentences?: Readonly<Record<string, string>>
  readonly children: (data: Data) => ReactNode
}

/** Shows the data of a query in its state. Data that cannot be refreshed stays, with its age. */
export function Loaded<Data>({ query, loading, sentences, children }: QueryProps<Data>) {
  const ui = useUiText()
  const { locale } = useLanguage()
  const { data, error, dataUpdatedAt, refetch } = query
  const retry = () => void refetch()
  if (data === undefined) {
    if (error === null) return <LoadingArea>{loading}</LoadingArea>
    return <ErrorNote error={error} onRetry={retry} {...(sentences && { sentences })} />
  }
  return (
    <>
      {error !== null && query.isFetchNextPageError !== true && (
        <Notice tone="warn" action={<Retry error={error} onRetry={retry} />}>
          <span title={utcText(dataUpdatedAt)}>{ui.asOf(formatDate(locale, dataUpdatedAt, 'second'))}</span>
        </Notice>
      )}
      {children(data)}
    </>
  )
}

function LoadingArea({ children }: { children: ReactNode }) {
  const ui = useUiText()
  return (
    <div aria-busy="true">
      <span role="status" className="sr-only">
        {ui.loading}
      </span>
      {children}
    </div>
  )
}

export function Skeleton({ className }: { className: string }) {
  return <div className={`skeleton ${className}`} />
}

export function SkeletonRows({ count = 4 }: { count?: number }) {
  return (
    <div className="grid gap-px">
      {Array.from({ length: count }, (_, row) => (
        <div key={row} className="flex items-center gap-4 px-4 py-4 sm:px-6">
          <Skeleton className="size-9 rounded-full" />
          <div className="grid grow gap-2">
            <Skeleton className="h-4 w-2/5" />
            <Skeleton className="h-3 w-1/4" />
          </div>
          <Skeleton className="h-4 w-20" />
        </div>
      ))}
    </div>
  )
}
