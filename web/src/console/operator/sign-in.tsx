import { isSandbox } from '../../lib/facts.ts'
import { type Picked, useTitle } from '../../lib/session.tsx'
import { WalletPicker } from '../../ui/wallet-picker.tsx'
import { ConsoleShell } from '../shell.tsx'
import { useText } from './text.ts'

export function SignIn({ onPick }: { onPick: (wallet: Picked) => Promise<void> }) {
  const { session: t } = useText()
  useTitle(t.title)
  return (
    <ConsoleShell>
      <div className="mx-auto grid max-w-md gap-8 pt-4 sm:pt-12">
        <div>
          <h1 className="text-2xl font-semibold tracking-tight">{t.title}</h1>
          <p className="mt-1 text-soft">{isSandbox ? t.leadSandbox : t.lead}</p>
        </div>
        <WalletPicker onPick={onPick} testWallets="operator" sentences={t.errors} />
      </div>
    </ConsoleShell>
  )
}
