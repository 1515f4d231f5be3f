import { Link, type LinkProps } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'

type Look = 'primary' | 'secondary' | 'quiet' | 'danger'
type Size = 'md' | 'sm'

const looks: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  secondary: 'bg-surface text-text border-line-strong/45 shadow-card hover:bg-sunken',
  quiet: 'bg-transparent text-text border-transparent hover:bg-sunken',
  danger: 'bg-surface text-bad border-line-strong/45 shadow-card hover:bg-bad-tint',
}
const sizes: Readonly<Record<Size, string>> = {
  md: 'min-h-11 px-4 text-base gap-2',
  sm: 'min-h-9 px-3 text-sm gap-1.5 sm:whitespace-nowrap',
}

export function buttonClass(look: Look = 'primary', size: Size = 'md'): string {
  const shape =
    'inline-flex items-center justify-center rounded-md border font-medium transition-colors select-none text-center'
  return `${shape} disabled:opacity-55 disabled:cursor-not-allowed aria-disabled:opacity-55 ${looks[look]} ${sizes[size]}`
}

type Props = ComponentProps<'button'> & {
  readonly look?: Look
  readonly size?: Size
  /** Shows progress and ignores clicks. The label stays, so the layout does not change. */
  readonly isPending?: boolean
  readonly icon?: ReactNode
}

export function Button({ look, size, isPending = false, icon, className = '', children, onClick, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={isPending || undefined}
      className={`${buttonClass(look, size)} ${className}`}
      // Without this, a press would submit the form once more, as would the Enter key, which clicks the button.
      onClick={isPending ? (event) => event.preventDefault() : onClick}
    >
      {isPending ? <Spinner /> : icon}
      {children}
    </button>
  )
}

export function LinkButton({
  look,
  size,
  className = '',
  ...rest
}: LinkProps & { look?: Look; size?: Size; className?: string }) {
  return <Link {...rest} className={`${buttonClass(look, size)} ${className}`} />
}

function Spinner() {
  return (
    <svg viewBox="0 0 16 16" className="size-4 animate-spin" aria-hidden="true">
      <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeOpacity="0.3" strokeWidth="2" />
      <path
        d="M8 1.500a6.500 6.500 0 0 1 6.500 6.500"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
  )
}
