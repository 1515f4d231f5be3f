import { useEffect, useState } from 'react'
import { copyText } from '../lib/clipboard.ts'
import { useUiText } from './text.ts'

const shownMilliseconds = 1600

/** Copies a text, and says so for a moment. */
function useCopy(text: string): { isCopied: boolean; copy: () => void } {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), shownMilliseconds)
    return () => clearTimeout(timer)
  }, [isCopied])
  return { isCopied, copy: () => void copyText(text).then(setCopied) }
}

export const shortened = (id: string, start = 6, end = 4): string =>
  id.length <= start + end + 1 ? id : `${id.slice(0, start)}…${id.slice(-end)}`

/** An id that can be copied. Long ones are shortened; the whole text is in the tooltip and in the copy. */
export function CopyId({ id, isWhole = false }: { id: string; isWhole?: boolean }) {
  const ui = useUiText()
  const { isCopied, copy } = useCopy(id)
  return (
    <button
      type="button"
      onClick={copy}
      title={id}
      className="inline-flex max-w-full items-center gap-1.5 rounded font-mono text-[0.8125rem] font-normal tracking-normal hover:bg-sunken"
    >
      <span className={isWhole ? 'text-left wrap-anywhere' : 'whitespace-nowrap'}>{isWhole ? id : shortened(id)}</span>
      <span className="sr-only">{ui.copy}</span>
      <CopyIcon isDone={isCopied} />
      <span role="status" className="sr-only">
        {isCopied ? ui.copied : ''}
      </span>
    </button>
  )
}

/** Copies the id that is shown next to it, such as the text of a link. */
export function CopyButton({ id }: { id: string }) {
  const ui = useUiText()
  const { isCopied, copy } = useCopy(id)
  return (
    <button
      type="button"
      onClick={copy}
      title={id}
      aria-label={isCopied ? ui.copied : `${ui.copy} ${shortened(id)}`}
      className="-mx-1.25 inline-grid size-6 shrink-0 place-items-center self-center rounded align-middle hover:bg-sunken"
    >
      <CopyIcon isDone={isCopied} />
    </button>
  )
}

/** A block of code with a button that copies it. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  const ui = useUiText()
  const { isCopied, copy } = useCopy(code)
  return (
    <figure aria-label={label} className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken">
      <button
        type="button"
        onClick={copy}
        className="float-right mt-2 mr-2 ml-4 inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line bg-surface px-2.5 text-xs font-medium hover:bg-page"
      >
        <CopyIcon isDone={isCopied} />
        <span aria-live="polite">{isCopied ? ui.copied : ui.copy}</span>
      </button>
      <pre className="p-4 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap">{code}</pre>
    </figure>
  )
}

function CopyIcon({ isDone }: { isDone: boolean }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className="size-3.5 shrink-0 text-soft"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.400"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {isDone ? <path d="M3 8.500l3.200 3.200L13 5" /> : <path d="M6 3.500h6.500v8M3.500 6H10v6.500H3.500z" />}
    </svg>
  )
}
