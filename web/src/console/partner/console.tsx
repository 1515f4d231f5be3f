import { Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { SessionProvider, useSession, useTitle } from '../../lib/session.tsx'
import { Account } from '../../ui/account.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Shell } from '../../ui/layout.tsx'
import { type NavGroup, SideNav } from '../../ui/side-nav.tsx'
import { ErrorNote, Loaded, Skeleton } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { WalletPicker } from '../../ui/wallet-picker.tsx'
import { Join } from './join.tsx'
import { PartnerContext, useMembership, usePartner } from './partner.tsx'
import { useText } from './text.ts'

/** The console of partners. It has no privileges: every page calls the API with the rights of the signed-in wallet. */
export function PartnerConsole() {
  return (
    <SessionProvider>
      <Suspense fallback={<Shell home="/partner" nav={[]} children={<Skeleton className="h-96" />} />}>
        <Gate />
      </Suspense>
    </SessionProvider>
  )
}

function Gate() {
  const { signedIn } = useSession()
  return signedIn === null ? <SignIn /> : <Signed />
}

function SignIn() {
  const t = useText()
  const { signIn } = useSession()
  useTitle(t.title)
  return (
    <Shell home="/partner" title={t.title} nav={[]}>
      <div className="mx-auto grid max-w-md gap-8 pt-4 sm:pt-12">
        <div>
          <h1 className="text-2xl font-semibold tracking-tight">{t.signIn.title}</h1>
          <p className="mt-1 text-soft">{t.signIn.lead}</p>
        </div>
        <WalletPicker onPick={signIn} sentences={t.errors} />
      </div>
    </Shell>
  )
}

function Signed() {
  const t = useText()
  const membership = useMembership()
  const { data } = membership
  if (data === undefined)
    return (
      <Shell home="/partner" title={t.title} nav={[]} right={<Account />} side={<Skeleton className="h-96" />}>
        <Loaded query={membership} loading={<Skeleton className="h-96" />} sentences={t.errors}>
          {() => null}
        </Loaded>
      </Shell>
    )
  if (data === null)
    return (
      <Shell home="/partner" title={t.title} nav={[]} right={<Account />}>
        <Join />
      </Shell>
    )
  return (
    <PartnerContext value={data}>
      <Shell home="/partner" title={t.title} nav={[]} right={<Account />} side={<Navigation />}>
        {membership.error !== null && (
          <div className="mb-6">
            <ErrorNote error={membership.error} onRetry={() => void membership.refetch()} sentences={t.errors} />
          </div>
        )}
        <Standing />
        <Outlet />
      </Shell>
    </PartnerContext>
  )
}

function Navigation() {
  const t = useText()
  const ui = useUiText()
  const { name, role } = usePartner()
  const groups: NavGroup[] = [
    {
      label: null,
      items: [
        { label: t.nav.start, to: '/partner', isExact: true },
        { label: t.nav.users, to: '/partner/users' },
        { label: t.nav.statistics, to: '/partner/statistics' },
      ],
    },
    {
      label: t.nav.developers,
      items: [
        { label: t.nav.apiKeys, to: '/partner/api-keys' },
        { label: t.nav.webhooks, to: '/partner/webhooks' },
        { label: t.nav.events, to: '/partner/events' },
        { label: t.nav.requests, to: '/partner/requests' },
      ],
    },
    {
      label: t.nav.organization,
      items: [
        { label: t.nav.domains, to: '/partner/domains' },
        { label: t.nav.members, to: '/partner/members' },
        { label: t.nav.kycClients, to: '/partner/kyc-clients' },
        { label: t.nav.audit, to: '/partner/audit' },
      ],
    },
  ]
  return (
    <SideNav label={ui.menu} groups={groups}>
      <div className="flex items-baseline justify-between gap-3 lg:block lg:px-3">
        <p className="min-w-0 truncate font-semibold" title={name}>
          {name}
        </p>
        <p className="text-sm text-soft">{t.roles[role]}</p>
      </div>
    </SideNav>
  )
}

/** Says on every page that a partner is not active. */
function Standing() {
  const t = useText()
  const { status } = usePartner()
  if (status === 'active') return null
  return (
    <div className="mb-6">
      <Notice tone={status === 'pending' ? 'warn' : 'bad'}>
        <strong className="font-medium">{t.standing[status].title}</strong> {t.standing[status].text}
      </Notice>
    </div>
  )
}
