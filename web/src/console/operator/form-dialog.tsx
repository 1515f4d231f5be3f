import { type ReactNode, useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useUiText } from '../../ui/text.ts'
import { useControlText } from './text/control.ts'

type Props = {
  readonly title: string
  readonly onClose: () => void
  /** Continues with the reason and the signature. */
  readonly onNext: () => void
  readonly children: ReactNode
}

/** A dialog that asks for the arguments of a decision. */
export function FormDialog({ title, onClose, onNext, children }: Props) {
  const { next } = useControlText()
  const ui = useUiText()
  const form = useId()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button look="secondary" onClick={onClose}>
            {ui.cancel}
          </Button>
          <Button type="submit" form={form}>
            {next}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="grid gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          onNext()
        }}
      >
        {children}
      </form>
    </Dialog>
  )
}
