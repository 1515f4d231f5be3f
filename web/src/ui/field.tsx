import { type ComponentProps, type ReactNode, useId } from 'react'

type FieldProps = {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | null | undefined
  /** Text beside the input, such as a currency. */
  readonly suffix?: string | undefined
}

function Frame({ id, label, hint, error, children }: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-1 content-start gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children}
      {error ? (
        <p id={`${id}-note`} role="alert" className="text-sm text-bad">
          {error}
        </p>
      ) : hint !== undefined ? (
        <p id={`${id}-note`} className="text-sm text-soft">
          {hint}
        </p>
      ) : null}
    </div>
  )
}

const described = (id: string, { error, hint }: FieldProps) => ({
  'aria-invalid': error ? true : undefined,
  'aria-describedby': error || hint !== undefined ? `${id}-note` : undefined,
})

export function TextField({
  label,
  hint,
  error,
  suffix,
  className = '',
  ...rest
}: FieldProps & ComponentProps<'input'>) {
  const own = useId()
  const id = rest.id ?? own
  const frame = { label, hint, error }
  return (
    <Frame id={id} {...frame}>
      <div className="relative">
        <input
          autoComplete="off"
          {...rest}
          id={id}
          className={`input-box ${suffix === undefined ? '' : 'pr-16'} ${className}`}
          {...described(id, frame)}
        />
        {suffix !== undefined && (
          <span className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-sm text-soft">
            {suffix}
          </span>
        )}
      </div>
    </Frame>
  )
}

export type Option = { readonly value: string; readonly label: string }

export function SelectField({
  label,
  hint,
  error,
  options,
  onPick,
  ...rest
}: FieldProps &
  ComponentProps<'select'> & { readonly options: readonly Option[]; readonly onPick?: (value: string) => void }) {
  const own = useId()
  const id = rest.id ?? own
  const frame = { label, hint, error }
  return (
    <Frame id={id} {...frame}>
      <select
        {...rest}
        id={id}
        onChange={(event) => onPick?.(event.currentTarget.value)}
        className="input-box"
        {...described(id, frame)}
      >
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  )
}

export function Checkbox({
  label,
  hint,
  ...rest
}: { label: ReactNode; hint?: string } & Omit<ComponentProps<'input'>, 'type'>) {
  const id = useId()
  return (
    <div className="flex items-start gap-3">
      <input
        {...rest}
        id={id}
        type="checkbox"
        className="mt-1 size-4.5 shrink-0 accent-accent"
        aria-describedby={hint ? `${id}-note` : undefined}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-note`} className="text-sm text-soft">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

/** A choice between a few options, all visible. */
export function Segments({
  label,
  value,
  options,
  onPick,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly Option[]
  readonly onPick: (value: string) => void
}) {
  const name = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{label}</legend>
      {/* On a phone, many options make even rows. */}
      <div
        className={`flex flex-wrap gap-1 rounded-md bg-sunken p-1 ${options.length > 4 ? 'max-sm:grid max-sm:grid-cols-3' : ''}`}
      >
        {options.map((option) => (
          <label
            key={option.value}
            className="min-h-8 grow cursor-pointer rounded-[0.375rem] px-2 py-1 sm:px-3 text-center text-sm text-soft has-checked:bg-raised has-checked:font-medium has-checked:text-text has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={option.value === value}
              onChange={() => onPick(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
