import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { screens } from './routes.ts'
import type { Screen } from './screen.ts'
import { useOperator } from './session.tsx'
import { useText } from './text.ts'

/** The search field and the screens in their groups. Narrow pages fold the screens away. */
export function Menu() {
  const { menu: t } = useText()
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [pathname])
  return (
    <div className="grid gap-4 lg:sticky lg:top-6">
      <SearchField />
      <div className="lg:hidden">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls="screens"
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-11 w-full items-center justify-between rounded-md border border-line bg-surface px-3 text-sm font-medium"
        >
          {t.screens}
          <svg viewBox="0 0 16 16" className={`size-4 text-soft ${isOpen ? 'rotate-180' : ''}`} aria-hidden="true">
            <path d="M4 6l4 4 4-4" fill="none" stroke="currentColor" strokeWidth="1.600" strokeLinecap="round" />
          </svg>
        </button>
      </div>
      <nav
        id="screens"
        aria-label={t.screens}
        className={`${isOpen ? 'grid' : 'hidden'} gap-5 max-lg:grid-cols-2 lg:grid`}
      >
        <Groups />
      </nav>
    </div>
  )
}

type Placed = Screen & { readonly menu: NonNullable<Screen['menu']> }
const placed = screens.filter((screen): screen is Placed => screen.menu !== undefined)

function Groups() {
  const { menu: t } = useText()
  const { may } = useOperator()
  return Object.entries(t.groups).map(([group, label]) => {
    const shown = placed.filter(({ menu: [of], may: needed }) => of === group && may(needed))
    if (shown.length === 0) return null
    return (
      <section key={group} aria-label={label}>
        <h2 className="px-2.5 pb-1 text-xs font-medium text-soft">{label}</h2>
        <ul>
          {shown.map(({ path, menu: [, name] }) => (
            <li key={path}>
              <Link
                to={path === '/' ? '/operator' : `/operator${path}`}
                activeOptions={{ exact: path === '/', includeSearch: false }}
                className="flex min-h-8 items-center rounded-md px-2.5 text-sm text-soft hover:bg-sunken hover:text-text aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-text"
              >
                {t.labels[name]}
              </Link>
            </li>
          ))}
        </ul>
      </section>
    )
  })
}

/** The text may be an email address, so it goes into the fragment, which the browser does not send to the server. */
function SearchField() {
  const { menu: t } = useText()
  const navigate = useNavigate()
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const text = String(new FormData(event.currentTarget).get('q')).trim()
          if (text !== '') void navigate({ to: '/operator/search', hash: encodeURIComponent(text) })
        }}
      >
        <input
          type="search"
          name="q"
          autoComplete="off"
          spellCheck={false}
          aria-label={t.search}
          placeholder={t.search}
          maxLength={200}
          className="input-box min-h-10 text-sm"
        />
      </form>
    </search>
  )
}
