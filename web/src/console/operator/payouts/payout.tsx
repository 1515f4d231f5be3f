import type { OperatorPayout, Purser } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTitle } from '../../../lib/session.tsx'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { CopyId, shortened } from '../../../ui/copy.tsx'
import { When } from '../../../ui/date.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Facts, Panel } from '../../../ui/layout.tsx'
import { Empty, Loaded, Skeleton } from '../../../ui/states.tsx'
import { DecideButton, useDeciding } from '../deciding.tsx'
import { OpenProposals } from '../open-proposals.tsx'
import { useOperator } from '../session.tsx'
import { ScreenHead, Sheet } from '../table.tsx'
import { useControlText } from '../text/control.ts'
import { IdLink, TokenAmount, TxHash, UserLink } from '../values.tsx'
import { PayoutBadge, payoutCommands } from './status.tsx'

/** One payout, and what an operator can do about it. */
export function Payout() {
  const { payouts: t } = useControlText()
  const { purser } = useOperator()
  const { withdrawalId = '' }: { withdrawalId?: string } = useParams({ strict: false })
  useTitle(t.titleOf(shortened(withdrawalId)))
  const payout = useQuery({
    queryKey: ['operator', 'payout', withdrawalId],
    queryFn: async () => findPayout(purser, withdrawalId),
  })
  return (
    <>
      <ScreenHead
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {t.payout} <CopyId id={withdrawalId} />
            {payout.data != null && <PayoutBadge payout={payout.data} />}
          </span>
        }
      />
      <OpenProposals commands={payoutCommands} subject={withdrawalId} />
      <Loaded query={payout} loading={<Skeleton className="h-96" />}>
        {(found) =>
          found === null ? (
            <Sheet>
              <Empty
                title={t.missing}
                text={t.missingText}
                action={
                  <LinkButton to="/operator/payouts" look="secondary" size="sm">
                    {t.backToList}
                  </LinkButton>
                }
              />
            </Sheet>
          ) : (
            <Details payout={found} />
          )
        }
      </Loaded>
    </>
  )
}

const pageSize = 100

/** Finds a payout by its user, whom the search returns. Only unassigned payouts have no user. */
async function findPayout(purser: Purser, withdrawalId: string): Promise<OperatorPayout | null> {
  const { data: hits } = await purser.operator.search({ q: withdrawalId })
  const userId = hits.find(({ kind, id }) => kind === 'payout' && id === withdrawalId)?.userId
  const rows =
    userId == null
      ? purser.operator.payouts.list({ state: 'unassigned', limit: pageSize })
      : purser.operator.users.listWithdrawals(userId, { limit: pageSize })
  for await (const payout of rows) if (payout.withdrawalId === withdrawalId) return payout
  return null
}

function Details({ payout }: { payout: OperatorPayout }) {
  const { payouts: t } = useControlText()
  const { withdrawalId, userId, depositId, chainId, txHash, nonce, isMined, attempts, unpaid } = payout
  const decisions: Readonly<Record<string, string>> = t.decisions
  return (
    <div className="grid items-start gap-5 text-sm xl:grid-cols-2">
      <div className="grid gap-5">
        <WhatToDo payout={payout} />
        {userId === null && <Assign withdrawalId={withdrawalId} />}
      </div>
      <Panel>
        <Facts
          rows={[
            [t.amount, <TokenAmount key="amount" {...payout} />],
            [t.payee, <CopyId key="payee" id={payout.toAddress} />],
            [t.user, <UserLink key="user" userId={userId} />],
            [t.kind, depositId === null ? t.isWithdrawal : t.isReturn],
            ...(depositId === null ? [] : [[t.deposit, <CopyId key="deposit" id={depositId} />] as const]),
            [t.chain, <IdLink key="chain" to="/operator/chains" id={String(chainId)} />],
            [t.transaction, txHash === null ? t.notSent : <TxHash key="tx" chainId={chainId} hash={txHash} />],
            [t.nonce, nonce ?? '–'],
            // The service updates `isMined` only until the payout ends.
            ...(payout.status === 'processing' ? [[t.mined, isMined ? t.yes : t.no] as const] : []),
            ...(unpaid === null ? [] : [[t.decisionSoFar, decisions[unpaid] ?? unpaid] as const]),
            [t.attempts, String(attempts)],
            [t.created, <When key="created" at={payout.createdAt} />],
          ]}
        />
      </Panel>
    </div>
  )
}

function WhatToDo({ payout: { withdrawalId, userId, status, unpaid } }: { payout: OperatorPayout }) {
  const { payouts: t } = useControlText()
  const isUnpaid = status === 'processing' && unpaid !== null
  const what =
    userId === null
      ? t.what.unassigned
      : isUnpaid
        ? unpaid === 'open'
          ? t.what.unpaid
          : t.what.decided
        : status === 'pending'
          ? t.what.pending
          : status === 'processing'
            ? t.what.processing
            : status === 'completed'
              ? t.what.completed
              : t.what.failed
  return (
    <Panel>
      <p className="text-base">{what}</p>
      {userId !== null && status === 'pending' && (
        <div className="mt-4">
          <DecideButton look="danger" request={{ command: 'payouts cancel', subject: withdrawalId }}>
            {t.cancel}
          </DecideButton>
        </div>
      )}
      {isUnpaid && (
        <ul className="mt-3 divide-y divide-line border-t border-line">
          {(['paid', 'refund', 'again'] as const).map((decision) => (
            <li key={decision} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
              <div className="min-w-0 grow basis-56">
                <h2 className="font-medium">{t.choices[decision].title}</h2>
                <p className="text-soft">{t.choices[decision].text}</p>
              </div>
              <DecideButton request={{ command: 'payouts decide', subject: withdrawalId, arguments: { decision } }}>
                {t.choose} <span className="sr-only">{t.choices[decision].title}</span>
              </DecideButton>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Assign({ withdrawalId }: { withdrawalId: string }) {
  const { payouts: t } = useControlText()
  const { may } = useOperator()
  const [userId, setUserId] = useState('')
  const { decide } = useDeciding()
  if (!may('payouts:write')) return null
  function submit(event: FormEvent) {
    event.preventDefault()
    const given = { userId: userId.trim().toLowerCase() }
    decide({ command: 'payouts assign', subject: withdrawalId, arguments: given })
  }
  return (
    <Panel title={t.assignTitle}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label={t.userId}
          hint={t.assignText}
          required
          pattern="\s*[0-9a-fA-F\-]{36}\s*"
          spellCheck={false}
          value={userId}
          onChange={(event) => setUserId(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" className="justify-self-start">
          {t.assign}
        </Button>
      </form>
    </Panel>
  )
}
