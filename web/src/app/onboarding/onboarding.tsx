import type { ResultOf } from '@purser/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLanguage } from '../../lib/language.tsx'
import { useSignedIn, useTitle } from '../../lib/session.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Checkbox, SelectField } from '../../ui/field.tsx'
import { Panel } from '../../ui/layout.tsx'
import { Empty, ErrorNote, Loaded, Skeleton } from '../../ui/states.tsx'
import { useText } from '../text.ts'
import { EmailStep } from './email-step.tsx'
import { fundsInGerman } from './funds-de.ts'

type Status = ResultOf<'user.getOnboarding'>['status']

const steps = ['email', 'terms', 'kyc', 'funds', 'account'] as const
type StepName = (typeof steps)[number]

/** The step of each status. Null: the user cannot continue. */
const stepOf: Readonly<Record<Status, StepName | null>> = {
  action_accept_tos: 'terms',
  waiting_kyc_setup: 'kyc',
  action_complete_kyc: 'kyc',
  kyc_manual_review: 'kyc',
  action_kyc_resubmission_requested: 'kyc',
  action_complete_sof: 'funds',
  action_create_account: 'account',
  waiting_account_setup: 'account',
  completed: 'account',
  rejected: null,
}

/** Leads a new wallet to an account. The service knows the step, so it continues on any device. */
export function Onboarding({ status, webSdkUrl }: { status: Status | null; webSdkUrl: string | null }) {
  const { onboarding: t } = useText()
  useTitle(t.title)
  const step = status === null ? 'email' : stepOf[status]
  if (step === null) {
    return (
      <Panel>
        <Empty title={t.rejectedTitle} text={t.rejectedText} />
      </Panel>
    )
  }
  return (
    <div className="mx-auto grid max-w-xl gap-6">
      <div>
        <h1 className="text-2xl font-semibold tracking-tight">{t.title}</h1>
        <p className="mt-1 text-soft">{t.lead}</p>
      </div>
      <Progress step={step} />
      <Panel>
        <Step step={step} status={status} webSdkUrl={webSdkUrl} />
      </Panel>
    </div>
  )
}

/** A step that is open again for a user with an account. The pages of the account stay usable beside it. */
export function OpenStep({ status, webSdkUrl }: { status: Status; webSdkUrl: string | null }) {
  const { onboarding: t } = useText()
  const step = stepOf[status]
  // A user with an account has done these steps for good.
  if (step === 'email' || step === 'account') return null
  return (
    <div className="mb-8 grid gap-4">
      <Notice tone="warn">{step === null ? t.openRejected : t.openSteps[step]}</Notice>
      {step !== null && (
        <details>
          <summary className="disclosure text-accent">{t.showStep}</summary>
          <div className="mt-3">
            <Panel>
              <Step step={step} status={status} webSdkUrl={webSdkUrl} />
            </Panel>
          </div>
        </details>
      )}
    </div>
  )
}

type StepProps = { readonly step: StepName; readonly status: Status | null; readonly webSdkUrl: string | null }

function Step({ step, status, webSdkUrl }: StepProps) {
  switch (step) {
    case 'email':
      return <EmailStep />
    case 'terms':
      return <TermsStep />
    case 'kyc':
      return <KycStep status={status} webSdkUrl={webSdkUrl} />
    case 'funds':
      return <FundsStep />
    case 'account':
      return <AccountStep isWaiting={status === 'waiting_account_setup'} />
  }
}

function Progress({ step }: { step: StepName }) {
  const t = useText()
  const current = steps.indexOf(step)
  return (
    <div className="grid gap-2">
      <ol className="grid grid-cols-5 gap-1.5" aria-label={t.onboarding.stepOf(current + 1, steps.length)}>
        {steps.map((name, index) => (
          <li key={name} aria-current={name === step ? 'step' : undefined} className="grid gap-1.5 text-xs">
            <span className={`h-1.5 rounded-full ${index <= current ? 'bg-accent' : 'bg-line'}`} />
            <span className={`max-sm:sr-only ${name === step ? 'font-medium' : 'text-soft'}`}>{t.steps[name]}</span>
          </li>
        ))}
      </ol>
      <p className="text-xs text-soft sm:hidden">
        {t.onboarding.stepOf(current + 1, steps.length)} · {t.steps[step]}
      </p>
    </div>
  )
}

/** Reads the next step after a change. */
function useNextStep() {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['onboarding'] })
}

function TermsStep() {
  const { onboarding: t } = useText()
  const { purser } = useSignedIn()
  const next = useNextStep()
  // Each id contains the version, so that new terms that are loaded meanwhile need a tick of their own.
  const [agreed, setAgreed] = useState<ReadonlySet<string>>(new Set())
  const terms = useQuery({ queryKey: ['terms'], queryFn: async () => purser.terms.listAccepted() })
  const accept = useMutation({
    mutationFn: async (given: { type: string; version: string }[]) => purser.terms.accept({ terms: given }),
    onSuccess: next,
  })
  return (
    <Loaded query={terms} loading={<Skeleton className="h-40" />}>
      {({ terms: current }) => {
        const open = current
          .filter(({ acceptedAt }) => acceptedAt === null)
          .map((each) => ({ ...each, id: `${each.type} ${each.version}` }))
        return (
          <form
            className="grid gap-5"
            onSubmit={(event) => {
              event.preventDefault()
              accept.mutate(open.map(({ type, version }) => ({ type, version })))
            }}
          >
            <h2 className="text-lg font-semibold">{t.termsTitle}</h2>
            {open.map(({ id, type, version, url }) => (
              <Checkbox
                key={id}
                required
                checked={agreed.has(id)}
                onChange={({ currentTarget: { checked } }) =>
                  setAgreed((before) => new Set([...before].filter((each) => each !== id).concat(checked ? id : [])))
                }
                label={
                  <>
                    {t.termsOf(type, version)}{' '}
                    <a href={url} target="_blank" rel="noreferrer" className="text-accent underline">
                      {t.read}
                    </a>
                  </>
                }
              />
            ))}
            {accept.error !== null && <ErrorNote error={accept.error} />}
            <Button type="submit" isPending={accept.isPending} disabled={open.some(({ id }) => !agreed.has(id))}>
              {t.accept}
            </Button>
          </form>
        )
      }}
    </Loaded>
  )
}

function KycStep({ status, webSdkUrl }: { status: Status | null; webSdkUrl: string | null }) {
  const { onboarding: t } = useText()
  const [isOpen, setOpen] = useState(false)
  const waiting: Partial<Record<Status, string>> = {
    waiting_kyc_setup: t.kycUnavailable,
    kyc_manual_review: t.kycReview,
  }
  const text = (status && waiting[status]) ?? (isOpen ? t.kycWaiting : t.kycText)
  return (
    <div className="grid gap-5">
      <div>
        <h2 className="text-lg font-semibold">{t.kycTitle}</h2>
        <p className="mt-1 text-soft" role="status">
          {text}
        </p>
      </div>
      {status === 'action_kyc_resubmission_requested' && <Notice tone="warn">{t.kycAgain}</Notice>}
      {webSdkUrl !== null && (
        <a href={webSdkUrl} target="_blank" rel="noreferrer" className={buttonClass()} onClick={() => setOpen(true)}>
          {t.kycOpen}
        </a>
      )}
    </div>
  )
}

function FundsStep() {
  const { onboarding: t } = useText()
  const { purser } = useSignedIn()
  const next = useNextStep()
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({})
  const { language } = useLanguage()
  const worded = (text: string) => (language === 'de' ? (fundsInGerman[text] ?? text) : text)
  const questions = useQuery({ queryKey: ['source-of-funds'], queryFn: async () => purser.sourceOfFunds.get() })
  const answer = useMutation({
    mutationFn: async (given: Readonly<Record<string, string>>) =>
      purser.sourceOfFunds.answer({
        answers: Object.entries(given).map(([question, text]) => ({ question, answer: text })),
      }),
    onSuccess: next,
  })
  return (
    <Loaded query={questions} loading={<Skeleton className="h-96" />}>
      {({ data }) => (
        <form
          className="grid gap-5"
          onSubmit={(event) => {
            event.preventDefault()
            answer.mutate(answers)
          }}
        >
          <div>
            <h2 className="text-lg font-semibold">{t.fundsTitle}</h2>
            <p className="mt-1 text-soft">{t.fundsText}</p>
          </div>
          {data.map(({ question, answers: options }) => (
            <SelectField
              key={question}
              label={worded(question)}
              required
              value={answers[question] ?? ''}
              options={[{ value: '', label: t.pick }, ...options.map((value) => ({ value, label: worded(value) }))]}
              onPick={(value) => setAnswers((before) => ({ ...before, [question]: value }))}
            />
          ))}
          {answer.error !== null && <ErrorNote error={answer.error} />}
          <Button type="submit" isPending={answer.isPending} disabled={data.some(({ question }) => !answers[question])}>
            {t.answer}
          </Button>
        </form>
      )}
    </Loaded>
  )
}

function AccountStep({ isWaiting }: { isWaiting: boolean }) {
  const { onboarding: t } = useText()
  const { purser } = useSignedIn()
  const next = useNextStep()
  const open = useMutation({ mutationFn: async () => purser.account.create(), onSuccess: next })
  return (
    <div className="grid gap-5">
      <div>
        <h2 className="text-lg font-semibold">{t.accountTitle}</h2>
        <p className="mt-1 text-soft" role="status">
          {isWaiting ? t.accountWaiting : t.accountText}
        </p>
      </div>
      {open.error !== null && <ErrorNote error={open.error} />}
      {!isWaiting && (
        <Button isPending={open.isPending} onClick={() => open.mutate()}>
          {t.accountOpen}
        </Button>
      )}
    </div>
  )
}
