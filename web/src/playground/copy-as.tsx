import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '../console/text.ts'
import { CodeBlock } from '../ui/copy.tsx'
import { Segments } from '../ui/field.tsx'
import { Loaded, Skeleton } from '../ui/states.tsx'

export const forms = ['curl', 'sdk', 'cli', 'scenario'] as const
export type Form = (typeof forms)[number]

type Props = {
  readonly label: string
  readonly forms: readonly Form[]
  /** The values in the code. When they change, the code is loaded again. */
  readonly subject: object
  /** Renders the code. Called once the code is opened, because most visitors never need the module that renders it. */
  readonly codeOf: (form: Form) => Promise<string>
}

/** Offers the code of something in several forms. */
export function CopyAs({ label, forms, subject, codeOf }: Props) {
  const t = useText().playground
  const [picked, setPicked] = useState<Form>()
  const [isOpen, setOpen] = useState(false)
  const [first = 'cli'] = forms
  const form = picked ?? first
  const code = useQuery({
    queryKey: ['code', form, subject],
    queryFn: () => codeOf(form),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={label} className="disclosure">
        {t.copyAs}
      </summary>
      <div className="mt-3 grid gap-3">
        <Segments
          label={label}
          value={form}
          options={forms.map((value) => ({ value, label: t.forms[value] }))}
          onPick={(next) => setPicked(forms.find((each) => each === next))}
        />
        {isOpen && (
          <Loaded query={code} loading={<Skeleton className="h-24" />}>
            {(text) => (
              // The code of the previous form must not be copied under the name of this form.
              <div aria-busy={code.isPlaceholderData} inert={code.isPlaceholderData}>
                <CodeBlock label={label} code={text} />
              </div>
            )}
          </Loaded>
        )}
      </div>
    </details>
  )
}
