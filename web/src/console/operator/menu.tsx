import { useNavigate } from '@tanstack/react-router'
import { SideNav } from '../../ui/side-nav.tsx'
import { screens } from './routes.ts'
import type { Screen } from './screen.ts'
import { useOperator } from './session.tsx'
import { useText } from './text.ts'

type Placed = Screen & { readonly menu: NonNullable<Screen['menu']> }
const placed = screens.filter((screen): screen is Placed => screen.menu !== undefined)

/** The search field, and the screens that the operator may open, in their groups. */
export function Menu() {
  const { menu: t } = useText()
  const { may } = useOperator()
  const groups = Object.entries(t.groups).map(([group, label]) => ({
    label,
    items: placed
      .filter(({ menu: [of], may: needed }) => of === group && may(needed))
      .map(({ path, menu: [, name] }) => ({
        label: t.labels[name],
        to: path === '/' ? '/operator' : `/operator${path}`,
        isExact: path === '/',
      })),
  }))
  return (
    <SideNav label={t.screens} groups={groups.filter(({ items }) => items.length > 0)}>
      <SearchField />
    </SideNav>
  )
}

/** The text may be an email address, so it goes into the fragment, which the browser does not send to the server. */
function SearchField() {
  const { menu: t } = useText()
  const navigate = useNavigate()
  return (
    <search>
      <form
        className="relative"
        onSubmit={(event) => {
          event.preventDefault()
          const text = String(new FormData(event.currentTarget).get('q')).trim()
          if (text !== '') void navigate({ to: '/operator/search', hash: encodeURIComponent(text) })
        }}
      >
        <svg
          viewBox="0 0 16 16"
          className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-soft"
          aria-hidden="true"
        >
          <path
            d="M10.500 10.500L14 14M11.500 6.750a4.750 4.750 0 1 1-9.500 0a4.750 4.750 0 0 1 9.500 0z"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.500"
            strokeLinecap="round"
          />
        </svg>
        <input
          type="search"
          name="q"
          autoComplete="off"
          spellCheck={false}
          aria-label={t.search}
          placeholder={t.search}
          maxLength={200}
          className="input-box min-h-10 pl-9 text-sm"
        />
      </form>
    </search>
  )
}
