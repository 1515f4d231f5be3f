import { Link, type LinkProps } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

type Props = Pick<LinkProps, 'to' | 'params'> & {
  readonly onClick?: (event: MouseEvent) => void
  readonly children: ReactNode
}

export function BackLink({ to, params, onClick, children }: Props) {
  return (
    <Link
      to={to}
      onClick={onClick}
      {...(params !== undefined && { params })}
      className="mb-4 inline-flex min-h-8 items-center gap-1.5 text-sm text-soft hover:text-text"
    >
      <svg viewBox="0 0 16 16" className="size-3.5" aria-hidden="true">
        <path d="M10 3L5 8l5 5" fill="none" stroke="currentColor" strokeWidth="1.600" strokeLinecap="round" />
      </svg>
      {children}
    </Link>
  )
}
