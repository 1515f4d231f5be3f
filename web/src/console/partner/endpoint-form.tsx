import { type ReactNode, useState } from 'react'
import { Checkbox, Segments, TextField } from '../../ui/field.tsx'
import { coverOf, resourceFilters, typesOf } from './event-types.ts'
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

type ChangeFilter = (filter: string, isOn: boolean, dropped?: readonly string[]) => void

/** Groups that the form does not offer, such as `kyc.*`. Programs can choose them. */
const isOtherGroup = (filter: string) => filter.endsWith('.*') && !resourceFilters.includes(filter)

function Filters({ events, onChange }: { events: readonly string[]; onChange: (events: readonly string[]) => void }) {
  // The box of such a group stays when it is cleared, because it has the focus.
  const [first] = useState(events)
  const others = [...new Set([...first, ...events])].filter(isOtherGroup)
  const change: ChangeFilter = (filter, isOn, dropped = []) => {
    const rest = events.filter((each) => each !== filter && !dropped.includes(each))
    onChange(isOn ? [...rest, filter] : rest)
  }
  return (
    <div className="divide-y divide-line rounded-lg border border-line">
      {others.map((filter) => (
        <div key={filter} className="flex min-h-11 items-center px-3 text-sm">
          <Checkbox
            label={<FilterName name={filter} />}
            checked={events.includes(filter)}
            onChange={(event) => change(filter, event.currentTarget.checked)}
          />
        </div>
      ))}
      {resourceFilters.map((filter) => (
        <Resource key={filter} filter={filter} events={events} onChange={change} />
      ))}
    </div>
  )
}

type ResourceProps = { readonly filter: string; readonly events: readonly string[]; readonly onChange: ChangeFilter }

/** A resource is picked as a whole (`deposit.*`), or some of its types are. A wider filter can cover it. */
function Resource({ filter, events, onChange }: ResourceProps) {
  const t = useText()
  const types = typesOf(filter)
  const cover = coverOf(events, filter)
  const isWhole = cover !== undefined || events.includes(filter)
  const count = types.filter((type) => events.includes(type) || coverOf(events, type) !== undefined).length
  const narrower = resourceFilters.filter((other) => coverOf([filter], other) !== undefined)
  // After the first render, only the person opens or closes the group. Otherwise, it could hide the focused box.
  const [isOpenAtFirst] = useState(count > 0 && !isWhole)
  return (
    <details className="group" open={isOpenAtFirst}>
      <summary className="flex min-h-11 items-center justify-between gap-3 px-3 text-sm">
        <FilterName name={filter} />
        <span className="text-soft">{t.webhooks.typesPicked(count, types.length)}</span>
      </summary>
      <div className="grid gap-2 border-t border-line bg-sunken/40 px-3 py-3 text-sm">
        <Checkbox
          label={t.webhooks.wholeResource}
          {...(narrower.length > 0 && { hint: t.webhooks.includes(narrower.join(', ')) })}
          {...(cover !== undefined && { hint: t.webhooks.includedIn(cover) })}
          disabled={cover !== undefined}
          checked={isWhole}
          onChange={(event) => onChange(filter, event.currentTarget.checked, types)}
        />
        {types.map((type) => {
          const own = coverOf(events, type)
          return (
            <Checkbox
              key={type}
              label={<FilterName name={type} />}
              {...(own !== undefined && !isWhole && { hint: t.webhooks.includedIn(own) })}
              disabled={own !== undefined}
              checked={own !== undefined || events.includes(type)}
              onChange={(event) => onChange(type, event.currentTarget.checked)}
            />
          )
        })}
      </div>
    </details>
  )
}

function FilterName({ name }: { name: string }) {
  return <span className="font-mono text-[0.8125rem]">{name}</span>
}
