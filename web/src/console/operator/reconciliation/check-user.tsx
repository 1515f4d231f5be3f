import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Notice } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Panel } from '../../../ui/layout.tsx'
import { ErrorNote } from '../../../ui/states.tsx'
import { useOperator } from '../session.tsx'
import { useControlText } from '../text/control.ts'
import { Findings } from './findings.tsx'

/** Checks the books of one user at once, without waiting for the next check of all. */
export function CheckUser() {
  const { books: t } = useControlText()
  const { purser } = useOperator()
  const [text, setText] = useState('')
  const checking = useMutation({
    async mutationFn(userId: string) {
      const { badRows } = await purser.operator.reconciliation.checkUser(userId)
      return badRows.map((row) => ({ ...row, userId }))
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!checking.isPending) checking.mutate(text.trim().toLowerCase())
  }
  return (
    <Panel title={t.checkUser}>
      <form onSubmit={submit} className="grid items-end gap-3 sm:grid-cols-[minmax(0,24rem)_auto] sm:justify-start">
        <TextField
          label={t.userId}
          required
          pattern="\s*[0-9a-fA-F\-]{36}\s*"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" look="secondary" isPending={checking.isPending}>
          {t.check}
        </Button>
      </form>
      <div role="status" className="mt-4 grid gap-3">
        {checking.data === undefined ? (
          <p className="text-sm text-soft">{t.checkUserText}</p>
        ) : checking.data.length === 0 ? (
          <Notice tone="good">{t.userClean}</Notice>
        ) : (
          <Findings rows={checking.data} />
        )}
        {checking.error !== null && <ErrorNote error={checking.error} />}
      </div>
    </Panel>
  )
}
