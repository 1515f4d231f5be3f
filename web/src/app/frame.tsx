import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { type SignedIn, useSession, useSignedIn, useTitle } from '../lib/session.tsx'
import { Account } from '../ui/account.tsx'
import { Notice } from '../ui/badge.tsx'
import { Shell } from '../ui/layout.tsx'
import { pollAfter } from '../ui/poll.ts'
import { Loaded, Skeleton } from '../ui/states.tsx'
import { WalletPicker } from '../ui/wallet-picker.tsx'
import { useText } from './text.ts'

const Onboarding = lazy(async () => ({ default: (await import('./onboarding/onboarding.tsx')).Onboarding }))
const OpenStep = lazy(async () => ({ default: (await import('./onboarding/onboarding.tsx')).OpenStep }))

/** Shows the page that the URL names once a wallet is signed in and its user has an account. */
export function Frame() {
  const { signedIn, isRegistered } = useSession()
  if (signedIn === null) return <SignIn />
  return isRegistered ? <Registered /> : <NewUser />
}

function SignIn() {
  const t = useText()
  const { signIn, farewell } = useSession()
  useTitle(t.signIn.title)
  return (
    <Shell home="/" nav={[]}>
      <div className="mx-auto grid max-w-md gap-8 pt-4 sm:pt-12">
        <div>
          <h1 className="text-2xl font-semibold tracking-tight">{t.signIn.title}</h1>
          <p className="mt-1 text-soft">{t.signIn.lead}</p>
        </div>
        {farewell !== null && <Notice tone="good">{farewell}</Notice>}
        <WalletPicker onPick={signIn} sentences={t.signIn.errors} />
      </div>
    </Shell>
  )
}

function NewUser() {
  return (
    <Shell home="/" nav={[]} right={<Account />}>
      <Suspense fallback={<Skeleton className="mx-auto h-80 max-w-xl" />}>
        <Onboarding status={null} webSdkUrl={null} />
      </Suspense>
    </Shell>
  )
}

const pollMilliseconds = 3_000

/** In these states, each read makes the service request a new link to the page of the identity provider. */
const statesAtProvider = ['waiting_kyc_setup', 'action_complete_kyc', 'action_kyc_resubmission_requested']
/** A person who returns from that page waits for no poll: a page that becomes visible reads its data again. */
const pollMillisecondsAtProvider = 30_000

const pollOf = (status: string | undefined): number =>
  status !== undefined && statesAtProvider.includes(status) ? pollMillisecondsAtProvider : pollMilliseconds

/**
 * Reads the open step of a user. A step can be open again for a user with an account: the terms change, or the identity
 * check is repeated. The pages of the account stay open, because they lead to the money.
 */
async function readStep({ purser }: SignedIn) {
  const { status, webSdkUrl = null } = await purser.user.getOnboarding()
  if (status === 'completed') return { status, webSdkUrl, hasAccount: true }
  const { account } = await purser.user.get()
  return { status, webSdkUrl, hasAccount: account !== null && account.status !== 'provisioning' }
}

function Registered() {
  const t = useText()
  const signedIn = useSignedIn()
  const onboarding = useQuery({
    queryKey: ['onboarding'],
    queryFn: () => readStep(signedIn),
    refetchInterval: ({ state }) =>
      state.data?.status !== 'completed' && pollAfter(pollOf(state.data?.status), state.error),
  })
  const { home, statement, cards, deposit, withdraw, settings } = t.nav
  const nav =
    onboarding.data?.hasAccount === true
      ? [
          { label: home, to: '/', isExact: true },
          { label: statement, to: '/statement' },
          { label: cards, to: '/cards' },
          { label: deposit, to: '/deposit' },
          { label: withdraw, to: '/withdraw' },
          { label: settings, to: '/settings' },
        ]
      : []
  return (
    <Shell home="/" nav={nav} right={<Account />}>
      <Loaded query={onboarding} loading={<Skeleton className="h-80" />}>
        {({ status, webSdkUrl, hasAccount }) =>
          hasAccount ? (
            <>
              {status !== 'completed' && (
                <Suspense fallback={<Skeleton className="mb-8 h-12" />}>
                  <OpenStep status={status} webSdkUrl={webSdkUrl} />
                </Suspense>
              )}
              <Outlet />
            </>
          ) : (
            <Suspense fallback={<Skeleton className="mx-auto h-80 max-w-xl" />}>
              <Onboarding status={status} webSdkUrl={webSdkUrl} />
            </Suspense>
          )
        }
      </Loaded>
    </Shell>
  )
}
