import { formatAmount } from '@purser/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readAmount, writeAmount } from '../../lib/amount.ts'
import { isDecided } from '../../lib/decided.ts'
import { useLanguage } from '../../lib/language.tsx'
import { randomId } from '../../lib/random-id.ts'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { keep, recall } from '../../lib/storage.ts'
import { useArrival } from '../../ui/arrival.ts'
import { Notice } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Facts, PageHead, Panel } from '../../ui/layout.tsx'
import { Empty, ErrorNote, Loaded, Skeleton, SkeletonRows } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { RecentList } from '../items.tsx'
import { type BalanceRow, type ProgrammeToken, useBalances, useLatest, useProgramme } from '../queries.ts'
import { useText } from '../text.ts'

/** A withdrawal whose response the page has not seen. Its key makes every repetition the same withdrawal. */
type Unfinished = {
  readonly key: string
  readonly tokenAddress: string
  readonly amount: string
  readonly shown: string
}

const readUnfinished = (address: string): Unfinished | null => JSON.parse(recall(`withdrawal.${address}`) ?? 'null')

const shownItems = 5

export function Withdraw() {
  const { withdraw: t, nav } = useText()
  useTitle(t.title)
  const { purser, wallet } = useSignedIn()
  const { address } = wallet
  const queries = useQueryClient()
  const [unfinished, setUnfinished] = useState(() => readUnfinished(address))
  const [isAnother, setAnother] = useState(false)
  const programme = useProgramme()
  const balances = useBalances()
  const latest = useLatest({ type: 'withdrawal', limit: shownItems + 1 })
  const forget = () => {
    keep(`withdrawal.${address}`, null)
    setUnfinished(null)
  }
  const send = useMutation({
    async mutationFn(request: Unfinished) {
      // Stored before the request, so that a closed page can learn the outcome.
      keep(`withdrawal.${address}`, JSON.stringify(request))
      const { tokenAddress, amount, key } = request
      return purser.withdrawals.create({ tokenAddress, amount }, { idempotencyKey: key })
    },
    async onSuccess() {
      forget()
      await queries.invalidateQueries()
    },
    onError(error, request) {
      if (isDecided(error)) forget()
      else setUnfinished(request)
    },
  })

  return (
    <>
      <PageHead title={t.title} text={t.lead} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <div className="grid gap-4">
          {unfinished !== null && !send.isPending && (
            <Panel title={t.unfinishedTitle}>
              <p className="text-soft">{t.unfinishedText(unfinished.shown)}</p>
              <div className="mt-4 flex flex-wrap gap-2">
                <Button onClick={() => send.mutate(unfinished)}>{t.finish}</Button>
                <Button
                  look="quiet"
                  onClick={() => {
                    forget()
                    send.reset()
                  }}
                >
                  {t.discard}
                </Button>
              </div>
            </Panel>
          )}
          <Panel>
            {send.isSuccess ? (
              <Accepted
                withdrawalId={send.data.withdrawalId}
                onAnother={() => {
                  setAnother(true)
                  send.reset()
                }}
              />
            ) : (
              <Loaded query={programme} loading={<Skeleton className="h-64" />}>
                {({ tokens }) => (
                  <Loaded query={balances} loading={<Skeleton className="h-64" />}>
                    {(rows) =>
                      rows.every(({ tokens: own }) => own.every(({ spendable }) => spendable === '0')) &&
                      unfinished === null ? (
                        <Empty
                          title={t.nothingTitle}
                          text={t.nothingText}
                          action={<LinkButton to="/deposit">{nav.deposit}</LinkButton>}
                        />
                      ) : (
                        <WithdrawForm
                          tokens={tokens}
                          rows={rows}
                          isPending={send.isPending}
                          isDisabled={unfinished !== null}
                          hasFocus={isAnother}
                          payee={address}
                          onSend={(request) => {
                            // Another tab may have sent one meanwhile.
                            const other = readUnfinished(address)
                            if (other === null) send.mutate({ ...request, key: randomId() })
                            else setUnfinished(other)
                          }}
                        />
                      )
                    }
                  </Loaded>
                )}
              </Loaded>
            )}
            {send.error !== null && (
              <div className="mt-4">
                <ErrorNote error={send.error} />
              </div>
            )}
          </Panel>
        </div>
        <Panel isFlush title={t.recent}>
          <Loaded query={latest} loading={<SkeletonRows count={3} />}>
            {(items) =>
              items.length === 0 ? (
                <Empty title={t.none} text={t.noneText} />
              ) : (
                <RecentList items={items} max={shownItems} type="withdrawal" />
              )
            }
          </Loaded>
        </Panel>
      </div>
    </>
  )
}

function Accepted({ withdrawalId, onAnother }: { withdrawalId: string; onAnother: () => void }) {
  const { withdraw: t } = useText()
  const heading = useArrival<HTMLHeadingElement>()
  return (
    <div className="grid justify-items-start gap-4">
      <h2 ref={heading} tabIndex={-1} className="text-lg font-semibold outline-none">
        {t.doneTitle}
      </h2>
      <CopyId id={withdrawalId} />
      <Button look="secondary" onClick={onAnother}>
        {t.another}
      </Button>
    </div>
  )
}

type FormProps = {
  readonly tokens: readonly ProgrammeToken[]
  readonly rows: readonly BalanceRow[]
  readonly isPending: boolean
  readonly isDisabled: boolean
  /** Whether the form takes the focus, because it has replaced the button that opened it. */
  readonly hasFocus: boolean
  readonly payee: string
  readonly onSend: (request: Pick<Unfinished, 'tokenAddress' | 'amount' | 'shown'>) => void
}

function WithdrawForm({ tokens, rows, isPending, isDisabled, hasFocus, payee, onSend }: FormProps) {
  const { withdraw: t } = useText()
  const ui = useUiText()
  const balanceOf = (address: string) => rows.flatMap(({ tokens: own }) => own).find(({ token }) => token === address)
  const spendableOf = (address: string) => BigInt(balanceOf(address)?.spendable ?? 0)
  const [chosen, setChosen] = useState<string | null>(null)
  const [text, setText] = useState('')
  const [isReview, setReview] = useState(false)
  const { locale } = useLanguage()
  const token =
    tokens.find(({ address }) => address === chosen) ??
    tokens.find(({ address }) => spendableOf(address) > 0n) ??
    tokens[0]
  if (token === undefined) return null
  const { symbol, decimals, address } = token
  const spendable = spendableOf(address)
  // A larger withdrawal is accepted, too, but it waits until the payout wallet has the funds.
  const instant = BigInt(balanceOf(address)?.maxInstantWithdraw ?? 0)
  const stated = BigInt(token.withdrawalMinimum)
  // A balance below the minimum can be withdrawn as a whole.
  const minimum = spendable < stated ? spendable : stated
  const amount = text === '' ? null : readAmount(text, decimals, locale)
  const write = (next: string) => {
    // Keeps the token of the typed amount, even if a deposit of another token arrives.
    setChosen(address)
    setText(next)
  }
  const exact = (units: bigint) => {
    // Intl reads the exact decimal text.
    const value = formatAmount({ amount: units, decimals }) as `${number}`
    return `${new Intl.NumberFormat(locale, { maximumFractionDigits: decimals }).format(value)} ${symbol}`
  }
  const problem =
    text === ''
      ? null
      : amount === null || amount <= 0n
        ? t.invalid
        : amount > spendable
          ? t.tooMuch
          : amount < minimum
            ? t.tooLittle
            : null
  return (
    <form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        if (amount !== null && problem === null) setReview(true)
      }}
    >
      <SelectField
        label={t.token}
        autoFocus={hasFocus}
        value={address}
        options={tokens.map((each) => ({ value: each.address, label: `${each.symbol} (${each.currency})` }))}
        onPick={(next) => {
          setChosen(next)
          setText('')
        }}
      />
      <div className="grid gap-1.5">
        <TextField
          label={t.amount}
          inputMode="decimal"
          suffix={symbol}
          value={text}
          error={problem}
          hint={`${t.available(exact(spendable))}${minimum > 0n ? ` ${t.minimum(exact(minimum))}` : ''}`}
          onChange={(event) => write(event.currentTarget.value)}
        />
        <Button
          look="secondary"
          size="sm"
          className="mt-1 justify-self-start"
          onClick={() => write(trimmed(writeAmount(spendable, decimals, locale)))}
        >
          {t.max}
        </Button>
      </div>
      {amount !== null && problem === null && amount > instant && <Notice>{t.mayWait}</Notice>}
      {isDisabled && <Notice tone="warn">{t.unfinishedTitle}</Notice>}
      <Button type="submit" isPending={isPending} disabled={isDisabled || amount === null || problem !== null}>
        {t.review}
      </Button>
      {isReview && amount !== null && (
        <Dialog
          isOpen
          onClose={() => setReview(false)}
          title={t.confirmTitle}
          actions={
            <>
              <Button look="secondary" onClick={() => setReview(false)}>
                {ui.cancel}
              </Button>
              <Button
                onClick={() => {
                  setReview(false)
                  onSend({ tokenAddress: address, amount: String(amount), shown: exact(amount) })
                }}
              >
                {t.confirm}
              </Button>
            </>
          }
        >
          <Facts
            rows={[
              [
                t.amount,
                <span key="amount" className="font-semibold tabular-nums">
                  {exact(amount)}
                </span>,
              ],
              [t.payee, <CopyId key="payee" id={payee} isWhole />],
            ]}
          />
        </Dialog>
      )}
    </form>
  )
}

const trimmed = (text: string) => (/[.,]/.test(text) ? text.replace(/[.,]?0+$/, '') : text)
