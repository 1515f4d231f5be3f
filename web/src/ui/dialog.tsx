import { type ReactNode, useCallback, useEffect, useId, useLayoutEffect, useRef } from 'react'
import { useUiText } from './text.ts'

type Props = {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  readonly text?: ReactNode
  readonly children?: ReactNode
  /** The buttons, the most important one last. */
  readonly actions?: ReactNode
}

/**
 * Wraps `onClose` for a request that a dialog sends. If the request ends after the person has closed the dialog, the
 * wrapper does nothing. Otherwise, it would close the next dialog.
 */
export function useCloseIfOpen<Given extends readonly unknown[], Result>(
  onClose: (...given: Given) => Result,
): (...given: Given) => Result | undefined {
  const latest = useRef<typeof onClose | null>(null)
  useEffect(() => {
    latest.current = onClose
    return () => {
      latest.current = null
    }
  }, [onClose])
  return useCallback((...given: Given) => latest.current?.(...given), [])
}

/**
 * A modal dialog. The browser's own element traps the focus, closes on Escape and returns the focus. The first field
 * has the focus at the beginning.
 */
export function Dialog(props: Props) {
  return props.isOpen ? <OpenDialog {...props} /> : null
}

function OpenDialog({ onClose, title, text, children, actions }: Props) {
  const ui = useUiText()
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  // The browser returns the focus only if the dialog closes while it is part of the document.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // The browser has focused the close button. In a group of radio buttons, only the chosen one can take the focus.
    dialog?.querySelector<HTMLElement>('input:not([type="radio"]), input:checked, select, textarea')?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={`${id}-title`}
      aria-describedby={text === undefined ? undefined : `${id}-text`}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className="m-auto max-h-[calc(100dvh-2rem)] w-[min(30rem,calc(100vw-2rem))] overflow-y-auto rounded-xl border border-line bg-surface p-6 text-text shadow-float backdrop:bg-scrim"
    >
      <div className="flex items-start justify-between gap-4">
        <h2 id={`${id}-title`} className="text-lg font-semibold">
          {title}
        </h2>
        <button
          type="button"
          aria-label={ui.close}
          onClick={onClose}
          className="-mt-1 -mr-2 grid size-9 place-items-center rounded-md text-soft hover:bg-sunken"
        >
          <svg viewBox="0 0 16 16" className="size-4" aria-hidden="true">
            <path d="M3 3l10 10M13 3L3 13" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
          </svg>
        </button>
      </div>
      {text !== undefined && (
        <p id={`${id}-text`} className="mt-2 text-soft">
          {text}
        </p>
      )}
      {children !== undefined && <div className="mt-5 grid gap-5">{children}</div>}
      {actions !== undefined && <div className="mt-6 flex flex-wrap justify-end gap-2">{actions}</div>}
    </dialog>
  )
}
