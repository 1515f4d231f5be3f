import { Link, type LinkProps } from '@tanstack/react-router'
import { Fragment, type ReactNode, useEffect, useReducer, useState } from 'react'
import { clockAhead, isSandbox, serviceNow } from '../lib/facts.ts'
import { type Language, languages, useLanguage } from '../lib/language.tsx'
import { keep, recall } from '../lib/storage.ts'
import { useCurrentInView } from './current-in-view.ts'
import { formatDate, utcText } from './date.tsx'
import { Segments } from './field.tsx'
import { useUiText } from './text.ts'

type NavItem = { readonly label: string; readonly to: NonNullable<LinkProps['to']>; readonly isExact?: boolean }

type ShellProps = {
  readonly home: NonNullable<LinkProps['to']>
  readonly title?: string
  readonly nav: readonly NavItem[]
  readonly right?: ReactNode
  readonly width?: 'narrow' | 'wide'
  /** Next to the main area, such as the navigation of a console with many pages. */
  readonly side?: ReactNode
  readonly children: ReactNode
}

const widths = { narrow: 'max-w-5xl', wide: 'max-w-[96rem]', withSide: 'max-w-7xl' } as const

/** The frame of every page: banner, header with navigation, main area. */
export function Shell({ home, title, nav, right, width = 'narrow', side, children }: ShellProps) {
  const ui = useUiText()
  const row = useCurrentInView<HTMLElement>(nav.map(({ label }) => label).join())
  const inner = `mx-auto w-full px-4 sm:px-6 ${widths[side === undefined ? width : 'withSide']}`
  const main = (
    <main id="main" tabIndex={-1} className="min-w-0 outline-none">
      {children}
    </main>
  )
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only focus-visible:not-sr-only focus-visible:absolute focus-visible:top-2 focus-visible:left-2 focus-visible:z-10 focus-visible:rounded-md focus-visible:bg-surface focus-visible:px-4 focus-visible:py-2"
      >
        {ui.skip}
      </a>
      {isSandbox && <SandboxBanner />}
      <header className="border-b border-line bg-surface">
        <div className={`${inner} flex min-h-16 flex-wrap items-center gap-x-8 gap-y-1 py-2`}>
          <Link to={home} className="flex items-center gap-2.5 rounded-md font-semibold tracking-tight">
            <Mark />
            {ui.brand}
            {title !== undefined && <span className="font-normal text-soft">{title}</span>}
          </Link>
          {nav.length > 0 && (
            <nav
              ref={row}
              aria-label={ui.menu}
              className="scroll-row order-last -mx-4 w-[calc(100%+2rem)] py-1 pl-1.5 md:order-none md:mx-0 md:w-auto md:pl-0"
            >
              <ul className="flex w-max gap-1">
                {nav.map(({ label, to, isExact = false }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      activeOptions={{ exact: isExact, includeSearch: false }}
                      className="flex min-h-10 items-center rounded-md px-2.5 text-sm whitespace-nowrap sm:px-3 text-soft hover:bg-sunken hover:text-text aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-text"
                    >
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
          )}
          <div className="ml-auto flex min-w-0 items-center gap-2">{right}</div>
        </div>
      </header>
      <div className={`${inner} grow py-8 sm:py-10`}>
        {side === undefined ? (
          main
        ) : (
          <div className="items-start lg:grid lg:grid-cols-[13rem_minmax(0,1fr)] lg:gap-10">
            {side}
            {main}
          </div>
        )}
      </div>
      <footer className={`${inner} flex flex-wrap gap-x-3 gap-y-3 pb-8 sm:gap-x-6`}>
        <Preferences />
      </footer>
    </div>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="size-7" aria-hidden="true">
      <rect width="32" height="32" rx="9" className="fill-accent" />
      <path
        d="M11 24V8h6.200a5.300 5.300 0 0 1 0 10.600H11"
        fill="none"
        className="stroke-on-accent"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}

function SandboxBanner() {
  const ui = useUiText()
  const { locale } = useLanguage()
  const ahead = useClockAhead()
  const isWrongHost = location.hostname === '127.0.0.1'
  return (
    <div className="bg-warn-tint px-4 py-1.5 text-center text-xs font-medium text-warn">
      {ui.sandboxBanner}{' '}
      {ahead > shownAheadMilliseconds && (
        <span title={utcText(serviceNow())}>{ui.clockMoved(formatDate(locale, serviceNow()))} </span>
      )}
      {isWrongHost && (
        <>
          {ui.wrongHost}{' '}
          <a className="underline" href={location.href.replace('127.0.0.1', 'localhost')}>
            {ui.wrongHostLink}
          </a>
        </>
      )}
    </div>
  )
}

const shownAheadMilliseconds = 60_000
const clockMilliseconds = 5_000

/** Returns `clockAhead()`, and renders again every 5 seconds, because the value can change. */
function useClockAhead(): number {
  const [, showTime] = useReducer((shown: number) => shown + 1, 0)
  useEffect(() => {
    const timer = setInterval(showTime, clockMilliseconds)
    return () => clearInterval(timer)
  }, [])
  return clockAhead()
}

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

/** Applies the stored theme before the first paint. */
export function applyTheme(theme = recall('theme')): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
  else delete document.documentElement.dataset['theme']
}

function Preferences() {
  const ui = useUiText()
  const { language, setLanguage } = useLanguage()
  const [theme, setTheme] = useState<string>(recall('theme') ?? 'system')
  useEffect(() => applyTheme(theme), [theme])
  const pick = (next: string) => {
    keep('theme', next === 'system' ? null : next)
    setTheme(next)
  }
  return (
    <>
      <Segments
        label={ui.language}
        value={language}
        options={Object.entries(languages).map(([value, label]) => ({ value, label }))}
        onPick={(next) => void setLanguage(next as Language)}
      />
      <Segments
        label={ui.theme}
        value={theme}
        options={themes.map((value: Theme) => ({ value, label: ui.themes[value] }))}
        onPick={pick}
      />
    </>
  )
}

type PageHeadProps = {
  readonly title: string
  /** The title while the data loads, if the title comes with the data. A small screen keeps two lines free for it. */
  readonly titleWhileLoading?: string
  readonly text?: ReactNode
  readonly actions?: ReactNode
}

/** The head of a page. */
export function PageHead({ title, titleWhileLoading, text, actions }: PageHeadProps) {
  const isLoading = title === titleWhileLoading
  const direction = titleWhileLoading === undefined ? 'items-end' : 'flex-col sm:flex-row sm:items-end'
  return (
    <div className={`mb-8 flex flex-wrap justify-between gap-4 ${direction}`}>
      <div className="min-w-0">
        <h1
          className={`text-2xl font-semibold tracking-tight wrap-anywhere ${isLoading ? 'min-h-[2lh] sm:min-h-0' : ''}`}
        >
          {/* A title can be the type of an event, such as `deposit.approved`. It breaks after its dots. */}
          {Object.entries(title.split(/(?<=\.)/)).map(([place, part]) => (
            <Fragment key={place}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </h1>
        {text !== undefined && <p className="mt-1 max-w-prose text-soft">{text}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  )
}

/** A surface with an optional head. */
export function Panel({
  title,
  action,
  isFlush = false,
  children,
}: {
  title?: ReactNode
  action?: ReactNode
  /** The content reaches the edges, as rows do. */
  isFlush?: boolean
  children: ReactNode
}) {
  return (
    <section className="min-w-0 overflow-clip rounded-xl border border-line bg-surface shadow-card">
      {title !== undefined && (
        <div className="flex min-h-14 flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 sm:px-6">
          <h2 className="text-base font-semibold">{title}</h2>
          {action}
        </div>
      )}
      <div
        className={
          isFlush
            ? title === undefined
              ? '-mt-px'
              : ''
            : `px-4 pb-5 has-[>[data-empty]]:p-0! sm:px-6 sm:pb-6 ${title === undefined ? 'pt-5 sm:pt-6' : 'pt-1'}`
        }
      >
        {children}
      </div>
    </section>
  )
}

/** Pairs of a term and its value. */
export function Facts({ rows }: { rows: readonly (readonly [term: string, value: ReactNode])[] }) {
  return (
    <dl className="-my-2 divide-y divide-line">
      {rows.map(([term, value]) => (
        <div key={term} className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5 py-2.5">
          <dt className="text-sm text-soft">{term}</dt>
          <dd className="ml-auto min-w-0 text-right text-sm wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
