import { useMutation } from '@tanstack/react-query'
import type { EIP6963ProviderDetail } from 'mipd'
import { useSyncExternalStore } from 'react'
import { browserWallet, browserWallets, findWallet } from '../lib/browser-wallets.ts'
import { isSandbox } from '../lib/facts.ts'
import type { Picked } from '../lib/session.tsx'
import { recall } from '../lib/storage.ts'
import { testWalletName } from '../lib/test-wallet-names.ts'
import { Badge } from './badge.tsx'
import { ErrorNote } from './states.tsx'
import { useUiText } from './text.ts'

const shownTestWallets = 4

/** A wallet on offer. Its code is loaded when it is picked. */
type Choice = { readonly id: string; readonly load: () => Promise<Picked | null> }

type Props = {
  readonly onPick: (wallet: Picked) => Promise<void>
  /** The built-in wallets that are offered in the sandbox. */
  readonly testWallets?: 'users' | 'operator' | 'none'
  readonly sentences?: Readonly<Record<string, string>>
}

export function WalletPicker({ onPick, testWallets = 'users', sentences }: Props) {
  const ui = useUiText()
  const found = useSyncExternalStore(browserWallets.subscribe, browserWallets.getProviders)
  const tests = offeredTests(testWallets)
  const picking = useMutation({
    async mutationFn({ load }: Choice) {
      const wallet = await load()
      if (wallet !== null) await onPick(wallet)
    },
  })
  const last = recall(testWallets === 'operator' ? 'operator' : 'wallet')
  const pick = (choice: Choice) => !picking.isPending && picking.mutate(choice)
  const pendingId = picking.isPending ? picking.variables.id : null

  return (
    <div className="grid gap-6">
      <section aria-labelledby="browser-wallets" className="grid gap-2">
        <h2 id="browser-wallets" className="text-sm font-medium text-soft">
          {ui.signIn.browserWallets}
        </h2>
        {found.length === 0 && <p className="text-sm text-soft">{ui.signIn.none}</p>}
        {[...found].sort(byLast(last)).map((each) => (
          <Row
            key={each.info.uuid}
            name={each.info.name}
            icon={<img src={safeIcon(each)} alt="" className="size-8 rounded-md" />}
            isPending={pendingId === each.info.rdns}
            onClick={() => pick({ id: each.info.rdns, load: async () => browserWallet(each) })}
          />
        ))}
      </section>
      {tests.length > 0 && (
        <section aria-labelledby="test-wallets" className="grid gap-2">
          <h2 id="test-wallets" className="flex items-center gap-2 text-sm font-medium text-soft">
            {ui.signIn.testWallets} <Badge tone="warn">{ui.signIn.test}</Badge>
          </h2>
          {tests.map((wallet) => (
            <Row
              key={wallet.number}
              name={wallet.name}
              icon={<Initial name={wallet.name} />}
              isPending={pendingId === `test:${wallet.number}`}
              onClick={() =>
                pick({ id: `test:${wallet.number}`, load: async () => findWallet(`test:${wallet.number}`) })
              }
            />
          ))}
          <p className="text-sm text-soft">{ui.signIn.testHint}</p>
        </section>
      )}
      {picking.error !== null && <ErrorNote error={picking.error} {...(sentences && { sentences })} />}
    </div>
  )
}

type Offered = { readonly number: number; readonly name: string }

function offeredTests(kind: 'users' | 'operator' | 'none'): readonly Offered[] {
  if (!isSandbox || kind === 'none') return []
  if (kind === 'operator') return [{ number: 0, name: testWalletName(0) }]
  return Array.from({ length: shownTestWallets }, (_, index) => ({
    number: index + 1,
    name: testWalletName(index + 1),
  }))
}

const byLast = (last: string | null) => (a: EIP6963ProviderDetail, b: EIP6963ProviderDetail) =>
  Number(b.info.rdns === last) - Number(a.info.rdns === last) || a.info.name.localeCompare(b.info.name)

/** EIP-6963 asks for a data URI. Anything else could tell another host about the visit. */
const safeIcon = ({ info }: EIP6963ProviderDetail): string =>
  info.icon.startsWith('data:image/') ? info.icon : 'data:,'

type RowProps = {
  readonly name: string
  readonly note?: string
  readonly icon: React.ReactNode
  readonly isPending: boolean
  readonly onClick: () => void
}

function Row({ name, note, icon, isPending, onClick }: RowProps) {
  const ui = useUiText()
  return (
    <button
      type="button"
      onClick={onClick}
      aria-busy={isPending || undefined}
      className="flex min-h-14 w-full items-center gap-3 rounded-lg border border-line bg-surface px-4 py-2.5 text-left hover:border-line-strong hover:bg-sunken"
    >
      {icon}
      <span className="min-w-0 grow">
        <span className="block truncate font-medium">{name}</span>
        {note !== undefined && <span className="block font-mono text-xs text-soft">{note}</span>}
      </span>
      {isPending && <span className="text-sm text-soft">{ui.signIn.signing}</span>}
    </button>
  )
}

export function Initial({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-tint text-sm font-semibold text-accent"
    >
      {name.slice(0, 1)}
    </span>
  )
}
