import type { ResultOf } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readAmount, writeAmount } from '../../lib/amount.ts'
import { useLanguage } from '../../lib/language.tsx'
import { useSignedIn } from '../../lib/session.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/layout.tsx'
import { useMoney } from '../../ui/money.tsx'
import { ErrorNote, Loaded, Skeleton } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { useText } from '../text.ts'

type Limits = ResultOf<'cards.getLimits'>

export function CardLimits({ cardId }: { cardId: string }) {
  const { cards: t } = useText()
  const { purser } = useSignedIn()
  const limits = useQuery({ queryKey: ['limits', cardId], queryFn: async () => purser.cards.getLimits(cardId) })
  return (
    <Panel title={t.limits}>
      <Loaded query={limits} loading={<Skeleton className="h-28" />}>
        {(data) => <LimitForm key={cardId} cardId={cardId} limits={data} />}
      </Loaded>
    </Panel>
  )
}

/** Returns the amount in the smallest unit; null: empty; undefined: not an amount. */
function parsed(text: string, decimals: number, locale: string): string | null | undefined {
  if (text === '') return null
  const amount = readAmount(text, decimals, locale)
  return amount === null ? undefined : String(amount)
}

function LimitForm({ cardId, limits }: { cardId: string; limits: Limits }) {
  const { cards: t } = useText()
  const ui = useUiText()
  const money = useMoney()
  const { purser } = useSignedIn()
  const queries = useQueryClient()
  const { currency, decimals, programme } = limits
  // The limits that the person has seen. Others may have changed them since.
  const [seen, setSeen] = useState(limits)
  const { locale } = useLanguage()
  const shown = (amount: string | null) => (amount === null ? '' : writeAmount(BigInt(amount), decimals, locale))
  const textsOf = (of: Limits) => ({ perTransaction: shown(of.perTransaction), daily: shown(of.daily) })
  const [texts, setTexts] = useState(() => textsOf(limits))
  const perTransaction = parsed(texts.perTransaction, decimals, locale)
  const daily = parsed(texts.daily, decimals, locale)
  const save = useMutation({
    async mutationFn(body: { perTransaction: string | null; daily: string | null }) {
      const current = await purser.cards.getLimits(cardId)
      const isSeen = current.perTransaction === seen.perTransaction && current.daily === seen.daily
      return isSeen
        ? { isSaved: true, now: await purser.cards.setLimits(cardId, body) }
        : { isSaved: false, now: current }
    },
    onSuccess({ isSaved, now }) {
      setSeen(now)
      if (isSaved) setTexts(textsOf(now))
      queries.setQueryData(['limits', cardId], now)
    },
  })
  const worded = (limit: string | null) => (limit === null ? t.noLimit : money({ amount: limit, decimals, currency }))
  const hint = (limit: string | null) =>
    limit === null ? t.limitFree : t.limitHint(money({ amount: limit, decimals, currency }))
  const field = (name: 'perTransaction' | 'daily', value: string | null | undefined) => (
    <TextField
      label={t[name]}
      hint={hint(programme[name])}
      error={value === undefined ? t.invalidAmount : null}
      inputMode="decimal"
      suffix={currency}
      placeholder={t.noLimit}
      value={texts[name]}
      onChange={({ currentTarget }) => {
        save.reset()
        setTexts((before) => ({ ...before, [name]: currentTarget.value }))
      }}
    />
  )
  return (
    <form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (perTransaction !== undefined && daily !== undefined) save.mutate({ perTransaction, daily })
      }}
    >
      <div className="grid gap-5 sm:grid-cols-2">
        {field('perTransaction', perTransaction)}
        {field('daily', daily)}
      </div>
      {save.data?.isSaved === false && (
        <Notice tone="warn" role="alert">
          {t.limitsChanged(worded(seen.perTransaction), worded(seen.daily))}
        </Notice>
      )}
      {save.error !== null && <ErrorNote error={save.error} />}
      <div className="flex flex-wrap items-center gap-4">
        <Button
          type="submit"
          look="secondary"
          isPending={save.isPending}
          disabled={perTransaction === undefined || daily === undefined}
        >
          {ui.save}
        </Button>
        <span role="status" className="text-sm text-good">
          {save.data?.isSaved === true ? t.limitSaved : ''}
        </span>
      </div>
    </form>
  )
}
