import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useText } from '../console/text.ts'
import { recordServiceTime } from '../lib/facts.ts'
import { useLanguage } from '../lib/language.tsx'
import { Button } from '../ui/button.tsx'
import { When } from '../ui/date.tsx'
import { ErrorNote } from '../ui/states.tsx'
import { chainQuery } from './chain.ts'
import { Failures } from './failures.tsx'
import { forgetTokens } from './people.ts'
import type { Sandbox } from './sandbox.ts'

const steps = [
  ['hour', 3_600],
  ['day', 86_400],
  ['month', 31 * 86_400],
] as const

/** The facts of the world: the time of the service, the head of the chain and the exchange rates. */
export function World({ sandbox }: { sandbox: Sandbox }) {
  const t = useText().playground
  const { locale } = useLanguage()
  const queries = useQueryClient()
  const clock = useQuery({
    queryKey: ['clock'],
    queryFn: async () => {
      const read = await sandbox.purser.sandbox.clock.get()
      recordServiceTime(read.now)
      return read
    },
    refetchInterval: 10_000,
  })
  const rates = useQuery({
    queryKey: ['rates'],
    queryFn: async () => sandbox.purser.sandbox.rates.list(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const programme = useQuery({
    queryKey: ['programme'],
    queryFn: async () => sandbox.purser.programme.get(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const head = useQuery(chainQuery(sandbox))
  const advance = useMutation({
    mutationFn: async (advanceSeconds: number) => sandbox.purser.sandbox.clock.advance({ advanceSeconds }),
    onSuccess() {
      forgetTokens()
      return queries.invalidateQueries()
    },
  })
  const shown = (rates.data?.data ?? []).filter(({ currency }) => ['USD', 'GBP', 'JPY'].includes(currency))
  const block = new Intl.NumberFormat(locale)
  return (
    <section
      aria-label={t.world}
      className="grid grid-cols-1 gap-3 rounded-xl border border-line bg-surface px-4 py-3 shadow-card sm:px-6"
    >
      <div className="flex flex-wrap items-center gap-x-8 gap-y-4">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <div className="min-w-36">
            <p className="text-xs text-soft">{t.clock}</p>
            <p className="min-h-6 font-medium">{clock.data !== undefined && <When at={clock.data.now} />}</p>
          </div>
          <div className="flex gap-1.5">
            {steps.map(([name, seconds]) => (
              <Button
                key={name}
                look="secondary"
                size="sm"
                isPending={advance.isPending && advance.variables === seconds}
                onClick={() => advance.mutate(seconds)}
              >
                {t.clockSteps[name]}
              </Button>
            ))}
          </div>
        </div>
        <dl className="ml-auto flex flex-wrap gap-x-8 gap-y-2">
          <Fact term={t.chain}>{(programme.data?.chains ?? []).map(({ chainId }) => chainId).join(', ')}</Fact>
          <Fact term={t.head}>
            {head.data === undefined
              ? ''
              : head.data === null
                ? t.simulated
                : t.block(block.format(head.data.number), block.format(head.data.finalNumber))}
          </Fact>
          {shown.map(({ currency, rate }) => (
            <Fact key={currency} term={t.rate(currency)}>
              {rate.replace(/(\.\d\d)0*$/, '$1')}
            </Fact>
          ))}
        </dl>
      </div>
      {advance.error !== null && <ErrorNote error={advance.error} />}
      <Failures queries={[clock, rates, programme, head]} />
    </section>
  )
}

function Fact({ term, children }: { term: string; children: string }) {
  return (
    <div>
      <dt className="text-xs text-soft">{term}</dt>
      <dd className="min-h-6 font-medium tabular-nums">{children}</dd>
    </div>
  )
}
