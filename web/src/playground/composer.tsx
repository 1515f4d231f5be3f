import { PurserError, type ResultOf } from '@purser/client'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useText } from '../console/text.ts'
import { randomId } from '../lib/random-id.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox, SelectField, TextField } from '../ui/field.tsx'
import { ErrorNote } from '../ui/states.tsx'
import { useUiText } from '../ui/text.ts'
import type { Message } from './code.ts'
import { CopyAs, forms } from './copy-as.tsx'
import type { Sandbox } from './sandbox.ts'

type MessageType = Message['transaction_type']
type FaultName = 'duplicate' | 'delay' | 'reorder' | 'loseRequest' | 'loseResponse' | 'crash'
type Decision = ResultOf<'sandbox.transactions.send'>

const types = [
  ...(['authorization', 'clearing', 'incremental', 'replacement', 'reversal', 'refund'] as const),
  ...(['advice', 'single_message', 'clearing_cancellation', 'refund_reversal', 'expiry'] as const),
] satisfies readonly MessageType[]

const faultNames = [
  'duplicate',
  'delay',
  'reorder',
  'loseRequest',
  'loseResponse',
  'crash',
] as const satisfies readonly FaultName[]
const startsPayment: readonly MessageType[] = ['authorization', 'advice', 'single_message']

type Props = {
  readonly sandbox: Sandbox
  readonly cardId: string
  readonly currency: string
  /** The authorization code of the card transaction on the timeline. */
  readonly code: string | null
  readonly onSent: (authorizationCode: string | null) => void
}

export function Composer({ sandbox, cardId, currency, code, onSent }: Props) {
  const t = useText().playground
  const ui = useUiText()
  const [type, setType] = useState<MessageType>('authorization')
  const [amount, setAmount] = useState('12.50')
  const [ownCode, setOwnCode] = useState('')
  const [merchant, setMerchant] = useState('Corner Shop')
  const [isFinal, setFinal] = useState(true)
  const [faults, setFaults] = useState<ReadonlySet<FaultName>>(new Set())

  const usedCode = ownCode || (startsPayment.includes(type) ? '' : (code ?? ''))
  const hasAmount = type !== 'expiry' && amount !== ''
  const message: Message = {
    transaction_type: type,
    card_id: cardId,
    ...(hasAmount && { [type === 'replacement' ? 'replacement_amount' : 'amount']: amount, currency }),
    ...(usedCode !== '' && { authorization_code: usedCode }),
    ...(merchant !== '' && startsPayment.includes(type) && { merchant_name: merchant }),
    ...(type === 'clearing' && !isFinal && { final: false }),
    ...faultOf(faults),
  }
  const sending = useMutation({
    mutationFn: ({ body }: { body: Message }) => sandbox.purser.sandbox.transactions.send(body, { maxRetries: 0 }),
    onSuccess: ({ authorization_code: sent }) => onSent(sent),
    // A lost response may hide a decision.
    onError: () => onSent(usedCode === '' ? null : usedCode),
  })
  const toggle = (name: FaultName) => {
    const next = new Set(faults)
    if (!next.delete(name)) next.add(name)
    if (name === 'loseRequest') next.delete('loseResponse')
    if (name === 'loseResponse') next.delete('loseRequest')
    setFaults(next)
  }
  const send = () => sending.mutate({ body: faults.size === 0 ? message : { ...message, event_id: randomId() } })
  const failed = sending.error !== null ? sending.variables?.body : undefined

  return (
    <form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <SelectField
        label={t.type}
        value={type}
        options={types.map((value) => ({ value, label: ui.words.messages[value] }))}
        onPick={(next) => setType(types.find((each) => each === next) ?? 'authorization')}
      />
      <div className="grid grid-cols-2 gap-4">
        <TextField
          label={t.amount}
          inputMode="decimal"
          value={amount}
          suffix={currency}
          disabled={type === 'expiry'}
          onChange={(event) => setAmount(event.currentTarget.value.replace(',', '.'))}
        />
        <TextField
          label={t.code}
          value={ownCode}
          placeholder={usedCode || t.codeGenerated}
          maxLength={6}
          onChange={(event) => setOwnCode(event.currentTarget.value.toUpperCase())}
        />
      </div>
      {startsPayment.includes(type) && (
        <TextField
          label={t.merchant}
          value={merchant}
          maxLength={200}
          onChange={(event) => setMerchant(event.currentTarget.value)}
        />
      )}
      {type === 'clearing' && (
        <Checkbox label={t.final} checked={isFinal} onChange={(event) => setFinal(event.currentTarget.checked)} />
      )}
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">{t.faults}</legend>
        <div className="flex flex-wrap gap-2">
          {faultNames.map((name) => (
            <Chip key={name} isOn={faults.has(name)} onToggle={() => toggle(name)}>
              {t.faultNames[name]}
            </Chip>
          ))}
        </div>
        {faults.has('crash') && <p className="text-sm text-warn">{t.crashHint}</p>}
      </fieldset>
      <Button type="submit" isPending={sending.isPending}>
        {t.send}
      </Button>
      {sending.data !== undefined && !sending.isPending && <DecisionNote decision={sending.data} />}
      {sending.error !== null && (
        <>
          <ErrorNote error={sending.error} sentences={t.errors} />
          {failed?.event_id !== undefined && isUncertain(sending.error) && (
            <Button look="secondary" onClick={() => sending.mutate({ body: withoutFault(failed) })}>
              {t.sendAgain}
            </Button>
          )}
        </>
      )}
      <div className="border-t border-line pt-4">
        <CopyAs
          label={t.copyAs}
          forms={forms}
          subject={message}
          codeOf={async (form) => (await import('./code.ts')).codeOfMessage(form, message, sandbox)}
        />
      </div>
    </form>
  )
}

/** The outcome is unknown: the response was lost on purpose, or the service was killed. */
const isUncertain = (error: Error) => error instanceof PurserError && (error.status === null || error.status === 502)

function withoutFault({ fault: _fault, ...message }: Message): Message {
  return message
}

function faultOf(faults: ReadonlySet<FaultName>): Pick<Message, 'fault'> {
  if (faults.size === 0) return {}
  return {
    fault: {
      ...(faults.has('duplicate') && { duplicate: 3 }),
      ...(faults.has('delay') && { delay_seconds: 3 }),
      ...(faults.has('reorder') && { reorder: true as const }),
      ...(faults.has('loseRequest') && { drop: 'request' as const }),
      ...(faults.has('loseResponse') && { drop: 'answer' as const }),
      ...(faults.has('crash') && { crash: 'after_commit' as const, restart: true as const }),
    },
  }
}

function Chip({ isOn, onToggle, children }: { isOn: boolean; onToggle: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className="min-h-8 rounded-full border border-line-strong/45 px-3 text-sm hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-accent-tint aria-pressed:font-medium aria-pressed:text-accent"
    >
      {children}
    </button>
  )
}

function DecisionNote({ decision }: { decision: Decision }) {
  const t = useText().playground
  const { status, authorization_code: code, denial_code: denial, denial_reason: reason } = decision
  const isApproved = status === 'approved'
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <Badge tone={isApproved ? 'good' : 'bad'}>{isApproved ? t.approved : t.denied}</Badge>
      <span className="font-mono text-xs text-soft">{code}</span>
      {reason !== undefined && (
        <span>
          {reason} <span className="font-mono text-xs">{denial}</span>
        </span>
      )}
    </p>
  )
}
