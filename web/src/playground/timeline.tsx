import type { CardTransactionItem, ResultOf } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useText } from '../console/text.ts'
import { useLanguage } from '../lib/language.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { History } from '../ui/history.tsx'
import { Panel } from '../ui/layout.tsx'
import { formatMoney, Money } from '../ui/money.tsx'
import { Empty, ErrorNote, Loaded, Skeleton } from '../ui/states.tsx'
import { ItemBadge } from '../ui/status.tsx'
import { useUiText } from '../ui/text.ts'
import type { Cardholder } from './people.ts'
import type { Sandbox } from './sandbox.ts'
import { firstScenario, type Scenario } from './scenario.ts'
import { ScenarioSteps, useScenario } from './scenario-run.tsx'

type Balance = ResultOf<'balances.list'>['data'][number]

type Props = {
  readonly sandbox: Sandbox
  readonly tokens: ResultOf<'sandbox.tokens.list'>['data']
  readonly payments: readonly CardTransactionItem[]
  readonly shown: CardTransactionItem | null
  /** In minor units of the shown payment. */
  readonly spendable: bigint | null
  /** Whether the user's partner receives events. */
  readonly hasPartner: boolean
  readonly balance: Balance | null
  readonly onPick: (id: string) => void
  readonly holder: Cardholder | null
  readonly onProgress: () => void
}

export function Timeline({
  sandbox,
  tokens,
  payments,
  shown,
  spendable,
  hasPartner,
  balance,
  onPick,
  holder,
  onProgress,
}: Props) {
  const t = useText().playground
  const ui = useUiText()
  const history = useQuery({
    queryKey: ['history', shown?.id],
    enabled: shown !== null,
    queryFn: async () => sandbox.purser.sandbox.cardTransactions.get(shown?.id ?? ''),
    refetchInterval: ({ state }) => (hasPartner && isDelivering(state.data) ? 1_000 : 10_000),
  })
  if (shown === null) {
    return holder === null ? (
      <Panel>
        <Empty title={t.noPayments} />
      </Panel>
    ) : (
      <Greeting sandbox={sandbox} scenario={firstScenario} holder={holder} balance={balance} onProgress={onProgress} />
    )
  }
  return (
    <div className="grid gap-4">
      {payments.length > 1 && (
        <nav aria-label={t.payments} className="-m-1 flex gap-2 overflow-x-auto p-1">
          {payments.map((payment) => (
            <button
              key={payment.id}
              type="button"
              aria-pressed={payment.id === shown.id}
              onClick={() => onPick(payment.id)}
              className="grid shrink-0 gap-0.5 rounded-lg border border-line bg-surface px-3 py-2 text-left text-sm hover:border-line-strong aria-pressed:border-accent aria-pressed:bg-accent-tint"
            >
              <span className="max-w-36 truncate font-medium">{payment.merchant.name}</span>
              <span className="text-xs text-soft">
                <Money {...payment} isCredit={payment.isCredit} /> · {ui.words.transactions[payment.status]}
              </span>
            </button>
          ))}
        </nav>
      )}
      <Panel
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {shown.merchant.name}
            <ItemBadge item={shown} />
            {shown.kind !== 'Payment' && <Badge>{ui.words.kinds[shown.kind]}</Badge>}
          </span>
        }
        action={<CopyId id={shown.id} />}
      >
        <Loaded query={history} loading={<HistorySkeleton />}>
          {(data) => <History key={shown.id} history={data} spendableMinor={spendable} tokens={tokens} />}
        </Loaded>
      </Panel>
    </div>
  )
}

/** Whether the event of the newest message, or a first delivery, is still on its way. */
function isDelivering(history: ResultOf<'sandbox.cardTransactions.get'> | undefined): boolean {
  const last = history?.messages.at(-1)
  if (history === undefined || last === undefined) return false
  const { events } = history
  const isFirst = ({ status, attempts }: { status: string; attempts: number }) => status === 'pending' && attempts < 2
  return !events.some(({ createdAt }) => createdAt === last.at) || events.some((each) => each.deliveries.some(isFirst))
}

export function TimelineSkeleton() {
  return (
    <Panel>
      <HistorySkeleton />
    </Panel>
  )
}

function HistorySkeleton() {
  return (
    <div className="grid gap-6">
      <Skeleton className="h-3" />
      <Skeleton className="h-14" />
      <Skeleton className="h-12" />
      <Skeleton className="h-36" />
    </div>
  )
}

type GreetingProps = {
  readonly sandbox: Sandbox
  readonly scenario: Scenario
  readonly holder: Cardholder
  readonly balance: Balance | null
  readonly onProgress: () => void
}

/** Greets a newcomer: a user with money and a card is ready, and so is the first scenario. */
function Greeting({ sandbox, scenario, holder, balance, onProgress }: GreetingProps) {
  const t = useText().playground
  const { locale } = useLanguage()
  const { run, results } = useScenario({ sandbox, scenario, isNoisy: false, holder, onProgress })
  if (balance === null) return <TimelineSkeleton />
  const money = formatMoney(locale, { ...balance, amount: balance.spendable })
  return (
    <Panel>
      <div className="grid gap-6 py-4 sm:px-2">
        <div className="grid gap-2">
          <h2 className="text-xl font-semibold tracking-tight">{t.greetTitle(holder.name, money)}</h2>
          <p className="max-w-prose text-soft">{t.greetText}</p>
        </div>
        <div className="grid gap-4 rounded-lg border border-line p-4 sm:p-5">
          <div>
            <h3 className="font-medium">{scenario.title}</h3>
            <p className="mt-0.5 text-sm text-soft">{scenario.description}</p>
          </div>
          <ScenarioSteps scenario={scenario} results={results} />
          <Button className="justify-self-start" isPending={run.isPending} onClick={() => run.mutate()}>
            {t.playFirst}
          </Button>
          {run.error !== null && <ErrorNote error={run.error} onRetry={() => run.mutate()} />}
        </div>
      </div>
    </Panel>
  )
}
