import type { ReactNode } from 'react'
import { Checkbox, Segments, TextField } from '../../ui/field.tsx'
import { resourceFilters, typesOf } from './event-types.ts'
import { useText } from './text.ts'

export type EndpointValues = { readonly url: string; readonly description: string; readonly events: readonly string[] }

/** Whether two endpoints want the same events. The order of filters has no meaning. */
export const isSameEvents = (one: readonly string[], other: readonly string[]): boolean =>
  one.toSorted().join(' ') === other.toSorted().join(' ')

/** The fields of an endpoint's settings. The form around it has the buttons. */
export function SettingsFields({
  settings,
  onChange,
  isDisabled = false,
  children,
}: {
  readonly settings: EndpointValues
  readonly onChange: (settings: EndpointValues) => void
  readonly isDisabled?: boolean
  readonly children?: ReactNode
}) {
  const t = useText()
  const { url, description, events } = settings
  const isAll = events.includes('*')
  return (
    <fieldset disabled={isDisabled} className="grid min-w-0 gap-5">
      <TextField
        label={t.webhooks.url}
        hint={t.webhooks.urlHint}
        type="url"
        required
        maxLength={2000}
        placeholder="https://api.example.com/purser"
        value={url}
        onChange={(event) => onChange({ ...settings, url: event.currentTarget.value })}
      />
      <TextField
        label={t.webhooks.description}
        maxLength={200}
        value={description}
        onChange={(event) => onChange({ ...settings, description: event.currentTarget.value })}
      />
      <div className="grid gap-3">
        <p className="text-sm font-medium">{t.webhooks.events}</p>
        <Segments
          label={t.webhooks.events}
          value={isAll ? 'all' : 'some'}
          options={[
            { value: 'all', label: t.webhooks.allEvents },
            { value: 'some', label: t.webhooks.someEvents },
          ]}
          onPick={(value) => onChange({ ...settings, events: value === 'all' ? ['*'] : [...resourceFilters] })}
        />
        {!isAll && <Filters events={events} onChange={(next) => onChange({ ...settings, events: next })} />}
      </div>
      {children}
    </fieldset>
  )
}

/** A resource is picked as a whole (`deposit.*`), or some of its types are. */
function Filters({ events, onChange }: { events: readonly string[]; onChange: (events: readonly string[]) => void }) {
  const t = useText()
  const toggle = (filter: string, isOn: boolean, drops: readonly string[] = []) => {
    const others = events.filter((each) => each !== filter && !drops.includes(each))
    onChange(isOn ? [...others, filter] : others)
  }
  return (
    <div className="divide-y divide-line rounded-lg border border-line">
      {resourceFilters.map((filter) => {
        const types = typesOf(filter)
        const isWhole = events.includes(filter)
        const count = isWhole ? types.length : types.filter((type) => events.includes(type)).length
        return (
          <details key={filter} className="group" open={count > 0 && !isWhole}>
            <summary className="flex min-h-11 items-center justify-between gap-3 px-3 text-sm">
              <span className="font-mono text-[0.8125rem]">{filter}</span>
              <span className="text-soft">{t.webhooks.typesPicked(count, types.length)}</span>
            </summary>
            <div className="grid gap-2 border-t border-line bg-sunken/40 px-3 py-3 text-sm">
              <Checkbox
                label={t.webhooks.wholeResource}
                checked={isWhole}
                onChange={(event) => toggle(filter, event.currentTarget.checked, types)}
              />
              {types.map((type) => (
                <Checkbox
                  key={type}
                  label={<span className="font-mono text-[0.8125rem]">{type}</span>}
                  disabled={isWhole}
                  checked={isWhole || events.includes(type)}
                  onChange={(event) => toggle(type, event.currentTarget.checked)}
                />
              ))}
            </div>
          </details>
        )
      })}
    </div>
  )
}
