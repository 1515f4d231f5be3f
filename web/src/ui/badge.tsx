import type { ReactNode } from 'react'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'

const tones: Readonly<Record<Tone, string>> = {
  neutral: 'bg-sunken text-soft',
  good: 'bg-good-tint text-good',
  warn: 'bg-warn-tint text-warn',
  bad: 'bg-bad-tint text-bad',
  info: 'bg-info-tint text-info',
}

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${tones[tone]}`}
    >
      {children}
    </span>
  )
}

type NoticeProps = {
  readonly tone?: Tone
  /** For a notice that interrupts, such as a conflict. It is announced at once. */
  readonly role?: 'alert'
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** A sentence about the state of something, with an optional action. */
export function Notice({ tone = 'info', role, children, action }: NoticeProps) {
  return (
    <div
      role={role}
      className={`flex flex-wrap items-center justify-between gap-3 rounded-lg px-4 py-3 text-sm ${tones[tone]}`}
    >
      <div className="min-w-0 grow basis-60">{children}</div>
      {action}
    </div>
  )
}

/**
 * Announces the outcome of an action. Screen readers announce only changes of a region that they know, so the region is
 * there before its text. It takes no space while it is empty.
 */
export function Outcome({ children }: { children: ReactNode }) {
  return (
    <div role="status" className="empty:absolute">
      {children}
    </div>
  )
}
