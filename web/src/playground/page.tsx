import { moneyOf, PurserError } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useText } from '../console/text.ts'
import { useUrlState } from '../lib/search.ts'
import { useTitle } from '../lib/session.tsx'
import { Notice } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Segments, TextField } from '../ui/field.tsx'
import { PageHead, Panel } from '../ui/layout.tsx'
import { Empty, ErrorNote, Loaded, Skeleton } from '../ui/states.tsx'
import { World } from './clock.tsx'
import { Composer } from './composer.tsx'
import { Failures } from './failures.tsx'
import { type Cardholder, completeCardholder, createCardholder, nameOf, ownerOf, walletKeyOf } from './people.ts'
import { PeopleList } from './people-list.tsx'
import { defaultPassword, peopleKey, refreshPayments, type Sandbox, sandboxWith } from './sandbox.ts'
import { Timeline, TimelineSkeleton } from './timeline.tsx'

const ScenarioList = lazy(async () => ({ default: (await import('./scenario-list.tsx')).ScenarioList }))

/** Each poll reads all users. A sandbox that was filled by a program can have very many. */
const maxPeople = 1_000

export function Playground() {
  const t = useText().playground
  useTitle(t.title)
  const [password, setPassword] = useState(defaultPassword)
  const [{ card }] = useUrlState(['card'])
  const sandbox = useMemo(() => sandboxWith(password), [password])
  const people = useQuery({
    queryKey: [peopleKey, password],
    queryFn: async ({ signal }) =>
      sandbox.purser.sandbox.users.list({ limit: 100 }, { signal }).toArray({ limit: maxPeople }),
    refetchInterval: 15_000,
  })
  const isLocked = people.error instanceof PurserError && people.error.code === 'SANDBOX_UNAUTHORIZED'
  return (
    <>
      <PageHead title={t.title} text={t.lead} />
      {isLocked ? (
        <Unlock onPassword={setPassword} wasWrong={password !== defaultPassword} />
      ) : (
        <div className="grid grid-cols-1 gap-6">
          <Loaded query={people} loading={<BenchSkeleton />}>
            {(data) =>
              card === null && !data.some((each) => isOwn(each) && each.cards.length > 0) ? (
                <Welcome sandbox={sandbox} person={data.find(isOwn) ?? null} />
              ) : (
                <Bench sandbox={sandbox} people={data} />
              )
            }
          </Loaded>
        </div>
      )}
    </>
  )
}

/** Has the layout of the bench. */
function BenchSkeleton() {
  return (
    <div className="grid gap-6">
      <Skeleton className="h-18" />
      <div className="grid items-start gap-6 lg:grid-cols-[16rem_minmax(0,1fr)] xl:grid-cols-[16rem_minmax(20rem,25rem)_minmax(0,1fr)]">
        <Skeleton className="h-72" />
        <Skeleton className="h-[36rem]" />
        <Skeleton className="h-[28rem] lg:col-start-2 xl:col-start-auto" />
      </div>
    </div>
  )
}

/** Asks for the password of a sandbox that does not use the default password. */
function Unlock({ onPassword, wasWrong }: { onPassword: (password: string) => void; wasWrong: boolean }) {
  const t = useText().playground
  const [text, setText] = useState('')
  return (
    <form
      className="grid max-w-sm gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onPassword(text)
      }}
    >
      <TextField
        type="password"
        label={t.password}
        hint={t.passwordHint}
        error={wasWrong ? t.passwordWrong : null}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" disabled={text === ''}>
        {t.unlock}
      </Button>
    </form>
  )
}

const firstStart = { currency: 'EUR', deposit: '100.00' }

/** Prepares the first user of a new sandbox, so that a newcomer can play at once. */
function Welcome({ sandbox, person }: { sandbox: Sandbox; person: Person | null }) {
  const t = useText().playground
  const queries = useQueryClient()
  const [, change] = useUrlState(['card'])
  const prepare = useMutation({
    mutationFn: () =>
      person === null ? createCardholder(sandbox, firstStart) : completeCardholder(sandbox, person, firstStart),
    async onSuccess({ cardId }) {
      await queries.invalidateQueries()
      change({ card: cardId })
    },
  })
  const hasBegun = useRef(false)
  const { mutate } = prepare
  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    mutate()
  }, [mutate])
  return prepare.error === null ? (
    <Panel>
      <p role="status" className="py-16 text-center text-soft">
        {t.preparing}
      </p>
    </Panel>
  ) : (
    <ErrorNote error={prepare.error} onRetry={() => mutate()} />
  )
}

/** Only the owner can read a timeline, so users of the page's own wallets come first. */
const isOwn = (person: Person) => ownerOf(person) !== null
const isActive = ({ status }: { status: string }) => status === 'active'

type Person = Parameters<typeof nameOf>[0]

function Bench({ sandbox, people }: { sandbox: Sandbox; people: readonly Person[] }) {
  const t = useText().playground
  const queries = useQueryClient()
  const [{ card, tx, tab }, change] = useUrlState(['card', 'tx', 'tab'])
  const holder = people.find(({ cards }) => cards.some(({ cardId }) => cardId === card))
  const person =
    holder ??
    people.find((each) => isOwn(each) && each.cards.some(isActive)) ??
    people.find(({ cards }) => cards.some(isActive)) ??
    people[0]
  const shownCard =
    person?.cards.find((each) => each.cardId === card) ?? person?.cards.find(isActive) ?? person?.cards[0] ?? null
  const cardId = shownCard?.cardId ?? null
  const owner = useMemo(() => (person === undefined ? null : ownerOf(person)), [person])

  const tokens = useQuery({
    queryKey: ['tokens'],
    queryFn: async () => sandbox.purser.sandbox.tokens.list(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const euro = tokens.data?.data.find(({ currency }) => currency === 'EUR')
  const target =
    person === undefined || cardId === null || euro === undefined
      ? null
      : { userId: person.userId, cardId, token: euro, walletKey: walletKeyOf(person) }
  const statement = useQuery({
    queryKey: ['statement', cardId],
    enabled: owner !== null && cardId !== null,
    queryFn: async () => (cardId === null ? null : owner?.statement.list({ cardId, limit: 20 })) ?? { data: [] },
    refetchInterval: 10_000,
  })
  const payments = useMemo(
    () => (statement.data?.data ?? []).flatMap((item) => (item.type === 'card_transaction' ? [item] : [])),
    [statement.data],
  )
  const balances = useQuery({
    queryKey: ['balances', person?.userId],
    enabled: owner !== null,
    queryFn: async () => (await owner?.balances.list())?.data ?? [],
    refetchInterval: 10_000,
  })
  const shown = payments.find(({ id }) => id === tx) ?? payments[0] ?? null
  const balance = balances.data?.find(({ currency }) => currency === person?.currency) ?? balances.data?.[0]
  // Floors to the minor unit, as the service does.
  const spendable =
    balance === undefined || shown === null
      ? null
      : moneyOf({ ...balance, amount: balance.spendable }).amount / 10n ** BigInt(balance.decimals - shown.decimals)

  async function refresh(authorizationCode: string | null) {
    await refreshPayments(queries)
    if (owner === null || cardId === null) return
    // After a crash the service may still be down. The next poll shows the payment.
    const { data } = await owner.statement.list({ cardId, limit: 20 }).catch(() => ({ data: [] }))
    const sent = data.find((item) => item.type === 'card_transaction' && item.authorizationCode === authorizationCode)
    change({ card: cardId, tx: sent?.id ?? null })
  }
  const follow = ({ cardId }: Cardholder) => {
    void refreshPayments(queries)
    change({ card: cardId, tx: null })
  }

  return (
    <div className="grid gap-6">
      <World sandbox={sandbox} />
      {card !== null && holder === undefined && <Notice tone="warn">{t.unknownCard}</Notice>}
      <div className="grid items-start gap-6 lg:grid-cols-[16rem_minmax(0,1fr)] xl:grid-cols-[16rem_minmax(20rem,25rem)_minmax(0,1fr)]">
        <PeopleList
          sandbox={sandbox}
          people={people}
          person={person ?? null}
          cardId={cardId}
          onCard={(next) => change({ card: next, tx: null })}
        />
        <Panel>
          <div className="grid gap-5">
            <Segments
              label={t.tabs.label}
              value={tab ?? 'message'}
              options={[
                { value: 'message', label: t.tabs.message },
                { value: 'scenarios', label: t.tabs.scenarios },
              ]}
              onPick={(next) => change({ tab: next === 'scenarios' ? next : null })}
            />
            {tab === 'scenarios' ? (
              <Suspense fallback={<Skeleton className="h-[36rem]" />}>
                <ScenarioList sandbox={sandbox} target={target} onProgress={follow} />
              </Suspense>
            ) : cardId === null ? (
              <p className="text-soft">{t.noCard}</p>
            ) : (
              <Composer
                key={cardId}
                sandbox={sandbox}
                cardId={cardId}
                currency={person?.currency ?? 'EUR'}
                code={shown?.authorizationCode ?? null}
                onSent={(sent) => void refresh(sent)}
              />
            )}
          </div>
        </Panel>
        <div className="min-w-0 lg:col-start-2 xl:col-start-auto">
          {owner === null || cardId === null ? (
            <Panel>
              {cardId === null ? <Empty title={t.noCard} /> : <Empty title={t.foreignTitle} text={t.foreignText} />}
            </Panel>
          ) : (
            <div className="grid grid-cols-1 gap-4">
              {statement.error === null && <Failures queries={[balances, tokens]} />}
              <Loaded query={statement} loading={<TimelineSkeleton />}>
                {() => (
                  <Timeline
                    sandbox={sandbox}
                    tokens={tokens.data?.data ?? []}
                    payments={payments}
                    shown={shown}
                    spendable={spendable}
                    hasPartner={person !== undefined && person.partnerId !== null}
                    balance={balance ?? null}
                    onPick={(next) => change({ tx: next })}
                    holder={
                      shownCard !== null && isActive(shownCard) && person !== undefined
                        ? { userId: person.userId, cardId: shownCard.cardId, purser: owner, name: nameOf(person) }
                        : null
                    }
                    onProgress={() => void refreshPayments(queries)}
                  />
                )}
              </Loaded>
            </div>
          )}
        </div>
      </div>
    </div>
  )
}
