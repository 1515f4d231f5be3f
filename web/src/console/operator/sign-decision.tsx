import { type OperatorCommand, type PreparedDecision, type Proposal, PurserError } from '@purser/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ComponentProps, type FormEvent, useId, useState } from 'react'
import { useLanguage } from '../../lib/language.tsx'
import { useArrival } from '../../ui/arrival.ts'
import { Notice, Outcome } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNote } from '../../ui/states.tsx'
import { useUiText } from '../../ui/text.ts'
import { DecisionFacts, type SignedState } from './decision-facts.tsx'
import { useOperator } from './session.tsx'
import { useText } from './text.ts'

/**
 * The dialogs in which operators sign a change. A session alone does not suffice: the wallet signs the command, its
 * subject, the reason and the state that the operator saw.
 *
 * Both dialogs end in `onClose`. After each signature, every query of the page is read again. So the screen shows the
 * change.
 */
export type DecisionRequest = {
  readonly command: OperatorCommand
  readonly subject: string
  readonly arguments?: Readonly<Record<string, string>>
}

type SignProps = {
  /** Null: the dialog is closed. */
  readonly request: DecisionRequest | null
  readonly onClose: () => void
}

/**
 * Asks for a reason, shows what the wallet will sign, and proposes the change. One signature suffices if the policy
 * says so.
 */
export function SignDecision({ request, onClose }: SignProps) {
  return request === null ? null : <SignDialog request={request} onClose={onClose} />
}

type Step =
  | { readonly name: 'reason' }
  | { readonly name: 'signature'; readonly prepared: PreparedDecision; readonly former: SignedState | null }
  | { readonly name: 'done'; readonly proposal: Proposal }

function SignDialog({ request, onClose }: { request: DecisionRequest; onClose: () => void }) {
  const { decide: t } = useText()
  const ui = useUiText()
  const { purser, sign } = useOperator()
  const queries = useQueryClient()
  const form = useId()
  const [reason, setReason] = useState('')
  const [step, setStep] = useState<Step>({ name: 'reason' })
  const asked = { ...request, arguments: { ...request.arguments }, reason: reason.trim() }

  async function prepare(former: SignedState | null): Promise<void> {
    const prepared = await purser.operator.proposals.create(asked)
    if ('proposalId' in prepared) throw new Error('the service proposed without a signature')
    setStep({ name: 'signature', prepared, former })
  }
  const preparing = useMutation({ mutationFn: async () => prepare(null) })
  const signing = useMutation({
    async mutationFn({ typedData, state, stateHash, expires }: PreparedDecision) {
      const signature = await sign(typedData)
      try {
        const proposal = await purser.operator.proposals.create({ ...asked, signed: { stateHash, expires, signature } })
        if (!('proposalId' in proposal)) throw new Error('the service ignored the signature')
        setStep({ name: 'done', proposal })
      } catch (error) {
        // Somebody was faster. The operator must see the new state before signing again.
        if (!(error instanceof PurserError) || error.code !== 'STATE_CHANGED') throw error
        await prepare(state)
      }
      await queries.invalidateQueries()
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (preparing.isPending || signing.isPending) return
    if (step.name === 'reason') preparing.mutate()
    if (step.name === 'signature') signing.mutate(step.prepared)
  }
  const error = step.name === 'reason' ? preparing.error : signing.error

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.commands[request.command]}
      actions={
        step.name === 'done' ? (
          <CloseButton onClose={onClose} />
        ) : (
          <>
            <Button look="secondary" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button type="submit" form={form} isPending={preparing.isPending || signing.isPending}>
              {step.name === 'reason' ? t.review : t.sign}
            </Button>
          </>
        )
      }
    >
      <form id={form} onSubmit={submit} className="grid gap-5">
        {step.name !== 'done' && <Warning command={request.command} />}
        {step.name === 'reason' && (
          <TextField
            label={t.reason}
            hint={t.reasonHint}
            required
            pattern=".*\S.*"
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        )}
        {step.name === 'signature' && (
          <>
            {step.former !== null && (
              <Notice tone="warn" role="alert">
                {t.changed}
              </Notice>
            )}
            <SignedFacts
              title={t.commands[request.command]}
              subject={request.subject}
              given={asked.arguments}
              reason={asked.reason}
              prepared={step.prepared}
              former={step.former}
            />
            <p className="text-sm text-soft">{step.prepared.needed === 1 ? t.alone : t.together}</p>
          </>
        )}
        <Outcome>{step.name === 'done' && <Done proposal={step.proposal} />}</Outcome>
        {error !== null && <ErrorNote error={error} sentences={t.errors} />}
      </form>
    </Dialog>
  )
}

type SignedFactsProps = ComponentProps<typeof DecisionFacts> & { readonly title: string }

/** The facts to sign. They replace the field in which the person may have pressed the Enter key. */
function SignedFacts({ title, ...facts }: SignedFactsProps) {
  const arrival = useArrival<HTMLElement>()
  return (
    <section ref={arrival} tabIndex={-1} aria-label={title} className="grid gap-5 outline-none">
      <DecisionFacts {...facts} />
    </section>
  )
}

/** Replaces the button of the signature, and so takes the focus. */
function CloseButton({ onClose }: { onClose: () => void }) {
  const ui = useUiText()
  return (
    <Button autoFocus onClick={onClose}>
      {ui.close}
    </Button>
  )
}

/** Warns before a change whose consequences are easily underestimated. */
function Warning({ command }: { command: OperatorCommand }) {
  const { decide: t } = useText()
  const warnings: Partial<Record<OperatorCommand, string>> = t.warnings
  const warning = warnings[command]
  return warning === undefined ? null : <Notice tone="warn">{warning}</Notice>
}

function Done({ proposal: { status, outcome, proposalId } }: { proposal: Proposal }) {
  const { language } = useLanguage()
  const { decide: t } = useText()
  if (status === 'executed')
    return (
      <Notice tone="good">
        {(outcome === null || language !== 'en') && `${t.done} `}
        {/* The service writes outcomes in English. */}
        {outcome !== null && <span lang="en">{outcome}</span>}
      </Notice>
    )
  return (
    <Notice tone="warn">
      {t.waits}{' '}
      <Link to={`/operator/proposals/${proposalId}`} className="font-medium underline">
        {t.openProposal}
      </Link>
    </Notice>
  )
}

/** Shows an open proposal of somebody else, and approves it with the wallet. */
export function ApproveDecision({ proposal, onClose }: { proposal: Proposal | null; onClose: () => void }) {
  return proposal === null ? null : <ApproveDialog proposal={proposal} onClose={onClose} />
}

function ApproveDialog({ proposal, onClose }: { proposal: Proposal; onClose: () => void }) {
  const { decide: t } = useText()
  const ui = useUiText()
  const { purser, sign } = useOperator()
  const queries = useQueryClient()
  const approving = useMutation({
    async mutationFn() {
      const signature = await sign(proposal.typedData)
      return purser.operator.proposals.approve(proposal.proposalId, { signature })
    },
    // A lapsed proposal has a new state too.
    onSettled: () => queries.invalidateQueries(),
  })
  const { data: approved, error } = approving
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t.approveTitle(t.commands[proposal.command])}
      actions={
        approved === undefined ? (
          <>
            <Button look="secondary" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button isPending={approving.isPending} onClick={() => approving.mutate()}>
              {t.approve}
            </Button>
          </>
        ) : (
          <CloseButton onClose={onClose} />
        )
      }
    >
      {approved === undefined && (
        <>
          <Warning command={proposal.command} />
          <DecisionFacts
            subject={proposal.subject}
            given={proposal.arguments}
            reason={proposal.reason}
            prepared={proposal}
            former={null}
          />
        </>
      )}
      <Outcome>{approved !== undefined && <Done proposal={approved} />}</Outcome>
      {error !== null && <ErrorNote error={error} sentences={t.errors} />}
    </Dialog>
  )
}
