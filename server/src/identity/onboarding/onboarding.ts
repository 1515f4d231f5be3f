import type { Ctx } from '../../context.ts'
import { Refusal, UpstreamError } from '../../lib/errors.ts'
import type { Queryable, Tx } from '../../platform/db/db.ts'
import type { UserCaller } from '../../platform/http/access.ts'
import { verificationPage } from '../kyc/kyc.ts'
import { type Account, createAccount, loadUser, lockUser, type User } from '../users/users.ts'
import {
  areCurrent,
  haveAccepted,
  isComplete,
  needsVerificationPage,
  type OnboardingStatus,
  onboardingStatus,
  type QuestionnaireAnswer,
  questions,
  type Terms,
} from './rules.ts'
import { deleteAnswers, findAcceptedTerms, hasAnswers, insertAcceptedTerms, saveAnswers } from './sql.ts'

/**
 * Onboarding, from a registered wallet to an account: terms, identity verification, source of funds, account.
 * `rules.ts` defines the order. Owns `accepted_terms` and `source_of_funds_answer`.
 *
 * Invariants: only current terms are accepted; the questionnaire is answered completely or not at all; an account is
 * opened only after every step before it.
 */
export type Onboarding = { readonly status: OnboardingStatus; readonly webSdkUrl: string | null }

export async function readOnboarding(ctx: Ctx, caller: UserCaller): Promise<Onboarding> {
  const user = await loadUser(ctx.db, caller)
  const status = await statusOf(ctx, ctx.db, user)
  if (!needsVerificationPage[status]) return { status, webSdkUrl: null }
  try {
    return { status, webSdkUrl: await verificationPage(ctx, user) }
  } catch (error) {
    // The user cannot continue without the page. This status tells the client to try again later.
    if (error instanceof UpstreamError) return { status: 'waiting_kyc_setup', webSdkUrl: null }
    throw error
  }
}

async function statusOf(ctx: Ctx, db: Queryable, user: User): Promise<OnboardingStatus> {
  return onboardingStatus({
    hasAcceptedTerms: haveAccepted(ctx.config.terms, await findAcceptedTerms(db, user.userId)),
    kycStatus: user.kycStatus,
    hasSourceOfFunds: await hasAnswers(db, user.userId),
    accountStatus: user.account?.status ?? null,
  })
}

/** A current document. `acceptedAt` is null until the user accepts this version. */
export type TermsState = Terms & { readonly url: string; readonly acceptedAt: Date | null }

export async function listTerms(ctx: Ctx, db: Queryable, caller: UserCaller): Promise<TermsState[]> {
  await loadUser(db, caller)
  const accepted = await findAcceptedTerms(db, caller.userId)
  return ctx.config.terms.map(({ type, version, url }) => {
    const found = accepted.find((given) => given.type === type && given.version === version)
    return { type, version, url, acceptedAt: found?.acceptedAt ?? null }
  })
}

export async function acceptTerms(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  terms: readonly Terms[],
): Promise<TermsState[]> {
  await loadUser(tx, caller)
  if (!areCurrent(terms, ctx.config.terms)) throw new Refusal('UNKNOWN_TERMS')
  await insertAcceptedTerms(tx, caller.userId, terms, ctx.clock.now())
  return listTerms(ctx, tx, caller)
}

export async function answerSourceOfFunds(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  answers: readonly QuestionnaireAnswer[],
): Promise<void> {
  await loadUser(tx, caller)
  if (!isComplete(answers)) throw new Refusal('INVALID_SOURCE_OF_FUNDS')
  await saveAnswers(tx, caller.userId, answers, ctx.clock.now())
}

/** Erases the user's questionnaire. Accepted terms are not personal data and stay. */
export async function eraseQuestionnaire(tx: Tx, userId: string): Promise<void> {
  await deleteAnswers(tx, userId)
}

/** Accepts the terms and answers the questionnaire for the user. Called by the simulator. */
export async function completeSteps(ctx: Ctx, tx: Tx, userId: string): Promise<void> {
  const now = ctx.clock.now()
  const answers = questions.map(({ question, answers: [answer] }) => ({ question, answer }))
  await insertAcceptedTerms(tx, userId, ctx.config.terms, now)
  await saveAnswers(tx, userId, answers, now)
}

/** Opens the account once onboarding is complete. `isNew` is false when it was already open. */
export async function openAccount(ctx: Ctx, tx: Tx, caller: UserCaller): Promise<{ account: Account; isNew: boolean }> {
  const user = await lockUser(tx, caller)
  if (user.account !== null) return { account: user.account, isNew: false }
  if ((await statusOf(ctx, tx, user)) !== 'action_create_account') throw new Refusal('ONBOARDING_INCOMPLETE')
  return { account: await createAccount(ctx, tx, user), isNew: true }
}
