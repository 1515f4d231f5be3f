import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { useUiText } from './text.ts'

type Props = {
  readonly title: string
  readonly text?: ReactNode
  /** The text of the button that submits the form. */
  readonly action: string
  /** The text of the button that leaves the dialog: by default, "Cancel". */
  readonly leave?: string
  readonly isPending?: boolean
  readonly isDisabled?: boolean
  readonly onClose: () => void
  readonly onSubmit: () => void
  readonly children: ReactNode
}

/** A dialog with a form. The Enter key submits it. */
export function FormDialog(props: Props) {
  const { title, text, action, leave, isPending = false, isDisabled = false, onClose, onSubmit, children } = props
  const ui = useUiText()
  return (
    <Dialog isOpen onClose={onClose} title={title} text={text}>
      <form
        className="grid gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {children}
        <div className="flex justify-end gap-2">
          <Button look="secondary" onClick={onClose}>
            {leave ?? ui.cancel}
          </Button>
          <Button type="submit" isPending={isPending} disabled={isDisabled}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
