import { useSession } from '../lib/session.tsx'
import { Badge } from './badge.tsx'
import { Button } from './button.tsx'
import { shortened } from './copy.tsx'
import { useUiText } from './text.ts'

/** The wallet that is signed in, and the button that signs it out. */
export function Account() {
  const ui = useUiText()
  const { signedIn, signOut } = useSession()
  if (signedIn === null) return null
  const { name, address, isTest } = signedIn.wallet
  return (
    <>
      <span className="flex items-center gap-2 text-sm text-soft max-md:hidden" title={address}>
        <span className="max-w-32 truncate">{name}</span>
        <span className="font-mono text-xs">{shortened(address)}</span>
        {isTest && <Badge tone="warn">{ui.signIn.test}</Badge>}
      </span>
      <Button look="secondary" size="sm" onClick={() => void signOut()}>
        {ui.signOut}
      </Button>
    </>
  )
}
