import { Link, type LinkProps, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useCurrentInView } from './current-in-view.ts'

export type NavGroup = {
  /** Null: the group has no heading. */
  readonly label: string | null
  readonly items: readonly {
    readonly label: string
    readonly to: NonNullable<LinkProps['to']>
    readonly isExact?: boolean
  }[]
}

type Props = {
  /** Names the navigation for those who do not see it. */
  readonly label: string
  readonly groups: readonly NavGroup[]
  /** Above the navigation. */
  readonly children?: ReactNode
}

/** The navigation of a console with many pages: beside the page, or behind a button on a small screen. */
export function SideNav({ label, groups, children }: Props) {
  const column = useCurrentInView<HTMLDivElement>(label)
  const path = useLocation().pathname.replace(/\/$/, '')
  const current = groups
    .flatMap(({ items }) => items)
    .findLast(({ to, isExact }) => (isExact ? path === to : path.startsWith(to)))
  return (
    <div
      ref={column}
      className="grid grid-cols-1 gap-3 max-lg:mb-6 lg:sticky lg:top-6 lg:-mx-1 lg:max-h-[calc(100dvh-3rem)] lg:gap-4 lg:overflow-y-auto lg:p-1"
    >
      {children}
      <nav aria-label={label} className="max-lg:hidden">
        <Groups groups={groups} />
      </nav>
      {/* A new page closes the menu. */}
      <SmallMenu key={path} label={label} groups={groups} current={current?.label ?? label} />
    </div>
  )
}

/** Opens over the page, so that nothing moves. */
function SmallMenu({ label, groups, current }: Props & { readonly current: string }) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    menu.current?.querySelector('nav [aria-current=page]')?.scrollIntoView({ block: 'nearest' })
    const leave = ({ target }: Event) => {
      if (!(target instanceof Node && menu.current?.contains(target))) setOpen(false)
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
    }
  }, [isOpen])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key comes from the button or from a link
    <div
      ref={menu}
      className="relative lg:hidden"
      onKeyDown={({ key }) => {
        if (key !== 'Escape') return
        menu.current?.querySelector('button')?.focus()
        setOpen(false)
      }}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-11 w-full items-center justify-between gap-3 rounded-lg border border-line bg-surface px-4 text-left font-medium shadow-card"
      >
        <span>
          <span className="sr-only">{label}: </span>
          {current}
        </span>
        <svg viewBox="0 0 16 16" className={`size-4 text-soft ${isOpen ? 'rotate-180' : ''}`} aria-hidden="true">
          <path d="M4 6l4 4 4-4" fill="none" stroke="currentColor" strokeWidth="1.600" strokeLinecap="round" />
        </svg>
      </button>
      {isOpen && (
        <nav
          id={id}
          aria-label={label}
          className="absolute inset-x-0 top-full z-20 mt-1.5 max-h-[70dvh] overflow-y-auto overscroll-contain rounded-lg border border-line bg-surface p-3 shadow-float"
        >
          <Groups groups={groups} onPick={() => setOpen(false)} />
        </nav>
      )}
    </div>
  )
}

function Groups({ groups, onPick }: { groups: readonly NavGroup[]; onPick?: () => void }) {
  return (
    <div className="gap-3 max-lg:columns-[9rem] lg:grid">
      {groups.map(({ label, items }) => (
        <div key={items[0]?.to} className="break-inside-avoid max-lg:not-last:mb-4">
          {label !== null && <p className="mb-1 px-3 text-xs font-medium text-soft">{label}</p>}
          <ul>
            {items.map((item) => (
              <li key={item.to}>
                <Link
                  to={item.to}
                  onClick={onPick}
                  activeOptions={{ exact: item.isExact ?? false, includeSearch: false }}
                  className="flex min-h-8 items-center rounded-md px-3 text-sm text-soft hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-tint aria-[current=page]:font-medium aria-[current=page]:text-accent max-lg:min-h-10"
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
