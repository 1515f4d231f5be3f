import type { DecisionTypedData } from '@purser/client'
import type { ReactNode } from 'react'
import { CopyId, shortened } from '../../ui/copy.tsx'
import { Facts } from '../../ui/layout.tsx'
import { useText } from './text.ts'
import { TokenAmount } from './values.tsx'

export type SignedState = Readonly<Record<string, string | null>>

type Props = {
  readonly subject: string
  readonly given: Readonly<Record<string, string>>
  readonly reason: string
  readonly prepared: { readonly state: SignedState; readonly typedData: DecisionTypedData }
  /** The state before somebody else changed it. */
  readonly former: SignedState | null
}

/** Everything that a signature of a decision covers. */
export function DecisionFacts({ subject, given, reason, prepared: { state, typedData }, former }: Props) {
  const { decide: t } = useText()
  const before = stateRows(t.names, state, former)
  return (
    <>
      <Group title={t.change}>
        <Facts
          rows={[
            [t.subject, <Value key="subject" text={subject} />],
            ...Object.entries(given).map(
              ([name, value]) => [nameOf(t.names, name), <Value key={name} text={value} />] as const,
            ),
            [t.reason, reason],
          ]}
        />
      </Group>
      {before.length > 0 && (
        <Group title={t.before}>
          <Facts rows={before} />
        </Group>
      )}
      <details className="text-sm">
        <summary className="disclosure text-accent">{t.walletShows}</summary>
        <dl className="mt-2 grid gap-1 rounded-md bg-sunken p-3 font-mono text-xs">
          {Object.entries(typedData.message).map(([name, value]) => (
            <div key={name} className="flex flex-wrap justify-between gap-x-4">
              <dt className="text-soft">{name}</dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  )
}

/** The change and the state can have a value of the same name, such as a role. */
function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-3 text-sm font-semibold">{title}</h3>
      {children}
    </section>
  )
}

/** The state of a subject that operators have signed. */
export function StateFacts({ state }: { state: SignedState }) {
  const { decide: t } = useText()
  return <Facts rows={stateRows(t.names, state, null)} />
}

/** Amount and token are one row. */
function stateRows(names: Names, state: SignedState, former: SignedState | null) {
  const { token, amount, ...rest } = state
  const hasAmount = typeof token === 'string' && typeof amount === 'string'
  const rows = Object.entries(hasAmount ? rest : state).map(
    ([name, value]) => [nameOf(names, name), <Change key={name} now={value} before={former?.[name]} />] as const,
  )
  if (!hasAmount) return rows
  return [[nameOf(names, 'amount'), <TokenAmount key="amount" token={token} amount={amount} />] as const, ...rows]
}

type Names = Readonly<Record<string, string>>

const nameOf = (names: Names, name: string) => names[name] ?? name

function Value({ text }: { text: string }) {
  return /^(0x)?[0-9a-f-]{36,}$/i.test(text) ? <CopyId id={text} /> : text
}

function Change({ now, before }: { now: string | null; before: string | null | undefined }) {
  const shown = (text: string | null) => (text === null ? '–' : shortened(text, 20, 8))
  if (before === undefined || before === now) return now === null ? '–' : <Value text={now} />
  return (
    <>
      <del className="text-soft">{shown(before)}</del> <ins className="font-medium no-underline">{shown(now)}</ins>
    </>
  )
}
