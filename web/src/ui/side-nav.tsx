import { Link, type LinkProps, useLocation } from '@tanstack/react-router'
import { useUiText } from './text.ts'

export type NavGroup = {
  /** Null: the group has no heading. */
  readonly label: string | null
  readonly items: readonly {
    readonly label: string
    readonly to: NonNullable<LinkProps['to']>
    readonly isExact?: boolean
  }[]
}

/** The navigation of a console with many pages: beside the page, or behind a button on a small screen. */
export function SideNav({ groups }: { groups: readonly NavGroup[] }) {
  const ui = useUiText()
  const { pathname } = useLocation()
  const current = groups
    .flatMap(({ items }) => items)
    .findLast(({ to, isExact }) => (isExact ? pathname === to : pathname.startsWith(to)))
  return (
    <>
      <nav aria-label={ui.menu} className="max-lg:hidden">
        <Groups groups={groups} />
      </nav>
      {/* A new page closes the menu. */}
      <details key={pathname} className="group mb-6 rounded-lg border border-line bg-surface shadow-card lg:hidden">
        <summary className="flex min-h-12 list-none items-center justify-between gap-3 rounded-lg px-4 font-medium [&::-webkit-details-marker]:hidden">
          <span>
            <span className="sr-only">{ui.menu}: </span>
            {current?.label ?? ui.menu}
          </span>
          <svg viewBox="0 0 16 16" className="size-4 text-soft group-open:rotate-180" aria-hidden="true">
            <path d="M3.500 6L8 10.500 12.500 6" fill="none" stroke="currentColor" strokeWidth="1.600" />
          </svg>
        </summary>
        <nav aria-label={ui.menu} className="border-t border-line p-3">
          <Groups groups={groups} />
        </nav>
      </details>
    </>
  )
}

function Groups({ groups }: { groups: readonly NavGroup[] }) {
  return (
    <div className="grid gap-5">
      {groups.map(({ label, items }) => (
        <div key={items[0]?.to}>
          {label !== null && <p className="mb-1 px-3 text-xs font-medium text-soft">{label}</p>}
          <ul className="grid gap-0.5">
            {items.map((item) => (
              <li key={item.to}>
                <Link
                  to={item.to}
                  activeOptions={{ exact: item.isExact ?? false, includeSearch: false }}
                  className="flex min-h-9 items-center rounded-md px-3 text-sm text-soft hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-tint aria-[current=page]:font-medium aria-[current=page]:text-accent max-lg:min-h-11"
                >
                  {item.label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}
