import type { OperatorUser } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useTitle } from '../../../lib/session.tsx'
import { CopyId, shortened } from '../../../ui/copy.tsx'
import { useCurrentInView } from '../../../ui/current-in-view.ts'
import { Loaded, Skeleton } from '../../../ui/states.tsx'
import { DecideButton } from '../deciding.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead } from '../table.tsx'
import { useText } from '../text.ts'
import { AccountBadge } from './status.tsx'

/** Returns the id of the user that the URL names. */
export function useUserId(): string {
  const { userId }: { userId?: string } = useParams({ strict: false })
  if (userId === undefined) throw new Error('the URL names no user')
  return userId
}

export function useShownUser() {
  const { purser } = useOperator()
  const userId = useUserId()
  return useQuery({
    queryKey: ['operator', 'user', userId],
    queryFn: async () => purser.operator.users.get(userId),
  })
}

/** The head of a user, and the tab that the URL names. */
export function User() {
  const { user: t, errors } = useText()
  const userId = useUserId()
  const user = useShownUser()
  useTitle(t.titleOf(shortened(userId)))
  return (
    <>
      <ScreenHead
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {t.user} <CopyId id={userId} />
            {user.data !== undefined && <AccountBadge {...user.data} />}
          </span>
        }
        actions={user.data !== undefined && <Actions user={user.data} />}
      />
      <Tabs userId={userId} />
      <Loaded query={user} loading={<Skeleton className="h-72" />} sentences={errors}>
        {() => <Outlet />}
      </Loaded>
    </>
  )
}

function Actions({ user: { userId, accountStatus } }: { user: OperatorUser }) {
  const { decide: t } = useText()
  if (accountStatus === 'active')
    return (
      <DecideButton look="danger" request={{ command: 'user block', subject: userId }}>
        {t.commands['user block']}
      </DecideButton>
    )
  if (accountStatus === 'blocked')
    return (
      <DecideButton request={{ command: 'user unblock', subject: userId }}>{t.commands['user unblock']}</DecideButton>
    )
  return null
}

const tabs = ['overview', 'cards', 'statement', 'deposits', 'withdrawals', 'ledger', 'events', 'decisions'] as const

/** The tab to highlight on a screen without a tab of its own, by the path of the screen. */
const details: Readonly<Record<string, (typeof tabs)[number]>> = {
  'card-transactions': 'statement',
  movements: 'ledger',
}

function Tabs({ userId }: { userId: string }) {
  const { user: t } = useText()
  const part = useLocation({ select: ({ pathname }) => pathname.split(`/users/${userId}/`)[1]?.split('/')[0] ?? '' })
  const row = useCurrentInView<HTMLElement>(t.user)
  return (
    <div className="mb-5 border-b border-line max-sm:-mx-4">
      <nav ref={row} aria-label={t.user} className="scroll-row -mb-px max-sm:pl-1.5">
        <ul className="flex w-max gap-1">
          {tabs.map((tab) => (
            <li key={tab}>
              <Link
                to={`/operator/users/${userId}${tab === 'overview' ? '' : `/${tab}`}`}
                activeOptions={{ exact: tab === 'overview', includeSearch: false }}
                {...(details[part] === tab && { 'aria-current': 'page' as const })}
                className="flex min-h-9 items-center border-b-2 border-transparent px-2.5 text-sm whitespace-nowrap text-soft hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-text"
              >
                {t.tabs[tab]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  )
}
