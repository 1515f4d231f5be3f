import { useState } from 'react'
import { useText } from '../console/text.ts'
import { CodeBlock } from '../ui/copy.tsx'
import { Segments } from '../ui/field.tsx'
import type { Form } from './code.ts'

type Props = {
  readonly label: string
  readonly forms: readonly Form[]
  readonly codeOf: (form: Form) => string
}

/** Offers the code of something in several forms. */
export function CopyAs({ label, forms, codeOf }: Props) {
  const t = useText().playground
  const [picked, setPicked] = useState<Form>()
  const [first = 'cli'] = forms
  const form = picked ?? first
  return (
    <details>
      <summary aria-label={label} className="justify-self-start text-sm font-medium">
        {t.copyAs}
      </summary>
      <div className="mt-3 grid gap-3">
        <Segments
          label={label}
          value={form}
          options={forms.map((value) => ({ value, label: t.forms[value] }))}
          onPick={(next) => setPicked(forms.find((each) => each === next))}
        />
        <CodeBlock label={label} code={codeOf(form)} />
      </div>
    </details>
  )
}
