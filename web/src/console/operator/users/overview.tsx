import type { OperatorUser } from '@purser/client'
import { CopyId } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { useText } from '../text.ts'
import { IdLink } from '../values.tsx'
import { Person } from './person.tsx'
import { useShownUser } from './user.tsx'

/** The data of a user, with personal data masked. */
export function Overview() {
  const { data } = useShownUser()
  return data === undefined ? null : <Details user={data} />
}

function Details({ user }: { user: OperatorUser }) {
  const { user: t } = useText()
  const { account, owners, partnerId, applicantId, closedAt, erasedAt } = user
  return (
    <div className="grid items-start gap-5 text-sm xl:grid-cols-2">
      <Person user={user} />
      <div className="grid gap-5">
        <Panel title={t.account}>
          {account === null ? (
            <p className="text-soft">{t.noAccount}</p>
          ) : (
            <Facts
              rows={[
                [t.accountId, <CopyId key="id" id={account.accountId} />],
                [t.depositAddress, <CopyId key="address" id={account.address} />],
                [t.currency, account.currency],
              ]}
            />
          )}
        </Panel>
        <Panel title={t.identity}>
          <Facts
            rows={[
              [t.kyc, t.kycStatuses[user.kycStatus]],
              [t.applicant, applicantId === null ? '–' : <CopyId key="applicant" id={applicantId} />],
              [t.country, user.country ?? '–'],
              [
                t.partner,
                partnerId === null ? (
                  '–'
                ) : (
                  <IdLink key="partner" to={`/operator/partners/${partnerId}`} id={partnerId} />
                ),
              ],
              [t.since, <When key="since" at={user.createdAt} />],
              ...(closedAt === null ? [] : [[t.closedAt, <When key="closed" at={closedAt} />] as const]),
              ...(erasedAt === null ? [] : [[t.erasedAt, <When key="erased" at={erasedAt} />] as const]),
            ]}
          />
        </Panel>
        <Panel title={t.owners}>
          <ul className="grid gap-2">
            {owners.map(({ address, contractChainId, createdAt }) => (
              <li key={address} className="flex flex-wrap items-baseline justify-between gap-x-4">
                <CopyId id={address} />
                <span className="text-soft">
                  {contractChainId !== null && `${t.contractOn(contractChainId)} · `}
                  <When at={createdAt} />
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      </div>
    </div>
  )
}
