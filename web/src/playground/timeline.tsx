import type { CardTransactionItem, ResultOf } from '@purser/client'
import { useQuery } from '@tanstack/react-query'
import { useText } from '../console/text.ts'
import { useLanguage } from '../lib/language.tsx'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { CopyId } from '../ui/copy.tsx'
import { History } from '../ui/history.tsx'
import { Panel } from '../ui/layout.tsx'
import { formatMoney, Money } from '../ui/money.tsx'
import { Empty, ErrorNote, Loaded, Skeleton } from '../ui/states.tsx'
import { useUiText } from '../ui/text.ts'
import type { Cardholder } from './people.ts'
import type { Sandbox } from './sandbox.ts'
import type { Scenario } from './scenario.ts'
import { ScenarioSteps, useScenario } from './scenario-list.tsx'

const transactionTones: Readonly<Record<CardTransactionItem['status'], Tone>> = {
  pending: 'warn',
  settled: 'good',
  cancelled: 'neutral',
  declined: 'bad',
}

type Balance = ResultOf<'balances.list'>['data'][number]

type Props = {
  readonly sandbox: Sandbox
  readonly tokens: ResultOf<'sandbox.tokens.list'>['data']
  readonly payments: readonly CardTransactionItem[]
  readonly shown: CardTransactionItem | null
  /** In minor units of the shown payment. */
  readonly spendable: bigint | null
  readonly isOwn: boolean
  readonly name: string
  readonly balance: Balance | null
  readonly onPick: (id: string) => void
  readonly first: Scenario | undefined
  readonly holder: Cardholder | null
  readonly onProgress: () => void
}

export function Timeline({
  sandbox,
  tokens,
  payments,
  shown,
  spendable,
  isOwn,
  name,
  balance,
  onPick,
  first,
  holder,
  onProgress,
}: Props) {
  const t = useText().playground
  const ui = useUiText()
  const history = useQuery({
    queryKey: ['history', shown?.id],
    enabled: shown !== null,
    queryFn: async () => sandbox.purser.sandbox.cardTransactions.get(shown?.id ?? ''),
    refetchInterval: 10_000,
  })
  if (!isOwn) {
    return (
      <Panel>
        <Empty title={t.foreignTitle} text={t.foreignText} />
      </Panel>
    )
  }
  if (shown === null) {
    return first === undefined || holder === null ? (
      <Panel>
        <Empty title={t.noPayments} />
      </Panel>
    ) : (
      <Greeting
        sandbox={sandbox}
        scenario={first}
        holder={holder}
        name={name}
        balance={balance}
        onProgress={onProgress}
      />
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
            <Badge tone={transactionTones[shown.status]}>{ui.words.transactions[shown.status]}</Badge>
            {shown.kind !== 'Payment' && <Badge>{ui.words.kinds[shown.kind]}</Badge>}
          </span>
        }
        action={<CopyId id={shown.id} />}
      >
        <Loaded query={history} loading={<Skeleton className="h-72" />}>
          {(data) => <History key={shown.id} history={data} spendableMinor={spendable} tokens={tokens} />}
        </Loaded>
      </Panel>
    </div>
  )
}

type GreetingProps = {
  readonly sandbox: Sandbox
  readonly scenario: Scenario
  readonly holder: Cardholder
  readonly name: string
  readonly balance: Balance | null
  readonly onProgress: () => void
}

/** Greets a newcomer: a user with money and a card is ready, and so is the first scenario. */
function Greeting({ sandbox, scenario, holder, name, balance, onProgress }: GreetingProps) {
  const t = useText().playground
  const { locale } = useLanguage()
  const { run, results } = useScenario({ sandbox, scenario, isNoisy: false, holder, onProgress })
  const money = balance === null ? '…' : formatMoney(locale, { ...balance, amount: balance.spendable })
  return (
    <Panel>
      <div className="grid gap-6 py-4 sm:px-2">
        <div className="grid gap-2">
          <h2 className="text-xl font-semibold tracking-tight">{t.greetTitle(name, money)}</h2>
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
