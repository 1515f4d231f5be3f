// pure
import type { KycStatus } from '../../lib/kyc-status.ts'
import type { AccountStatus } from '../../lib/user-status.ts'

/** A document that every user must accept, in its current version. */
export type Terms = { readonly type: string; readonly version: string }
export type AcceptedTerms = Terms & { readonly acceptedAt: Date }

export const onboardingStatuses = [
  'action_accept_tos',
  'waiting_kyc_setup',
  'action_complete_kyc',
  'kyc_manual_review',
  'action_kyc_resubmission_requested',
  'action_complete_sof',
  'action_create_account',
  'waiting_account_setup',
  'completed',
  'rejected',
] as const
export type OnboardingStatus = (typeof onboardingStatuses)[number]

export type OnboardingFacts = {
  readonly hasAcceptedTerms: boolean
  readonly kycStatus: KycStatus
  readonly hasSourceOfFunds: boolean
  /** null if the user has no account */
  readonly accountStatus: AccountStatus | null
}

/** The onboarding status of each KYC status; null if identity verification is complete. */
const kycSteps: Readonly<Record<KycStatus, OnboardingStatus | null>> = {
  notStarted: 'action_complete_kyc',
  documentsRequested: 'action_complete_kyc',
  pending: 'kyc_manual_review',
  processing: 'kyc_manual_review',
  approved: null,
  resubmissionRequested: 'action_kyc_resubmission_requested',
  requiresAction: 'action_kyc_resubmission_requested',
  rejected: 'rejected',
}

/** The onboarding status of each account state, once every other step is complete. */
const accountSteps: Readonly<Record<AccountStatus, OnboardingStatus>> = {
  provisioning: 'waiting_account_setup',
  active: 'completed',
  blocked: 'completed',
  closed: 'completed',
}

/**
 * Returns the first incomplete step, in the order: terms, identity, source of funds, account. A rejected identity comes
 * before all steps.
 */
export function onboardingStatus(facts: OnboardingFacts): OnboardingStatus {
  if (facts.kycStatus === 'rejected') return 'rejected'
  if (!facts.hasAcceptedTerms) return 'action_accept_tos'
  const kycStep = kycSteps[facts.kycStatus]
  if (kycStep !== null) return kycStep
  if (!facts.hasSourceOfFunds) return 'action_complete_sof'
  return facts.accountStatus === null ? 'action_create_account' : accountSteps[facts.accountStatus]
}

/** For each status, whether the user continues on the KYC provider's page. */
export const needsVerificationPage: Readonly<Record<OnboardingStatus, boolean>> = {
  action_accept_tos: false,
  waiting_kyc_setup: false,
  action_complete_kyc: true,
  kyc_manual_review: false,
  action_kyc_resubmission_requested: true,
  action_complete_sof: false,
  action_create_account: false,
  waiting_account_setup: false,
  completed: false,
  rejected: false,
}

function isSame(a: Terms, b: Terms): boolean {
  return a.type === b.type && a.version === b.version
}

/** Returns whether every current document is accepted in its current version. */
export function haveAccepted(current: readonly Terms[], accepted: readonly Terms[]): boolean {
  return current.every((terms) => accepted.some((given) => isSame(terms, given)))
}

/** Returns whether every given document is a current one. */
export function areCurrent(given: readonly Terms[], current: readonly Terms[]): boolean {
  return given.every((terms) => current.some((each) => isSame(terms, each)))
}

export type QuestionnaireAnswer = { readonly question: string; readonly answer: string }

/** The source-of-funds questionnaire. */
export const questions = [
  {
    question: 'What is your employment status?',
    answers: ['Employed', 'Self-employed', 'Student', 'Retired', 'Unemployed'],
  },
  {
    question: 'Where does the money for your account come from?',
    answers: [
      'Salary',
      'Business income',
      'Savings',
      'Investments',
      'Crypto-assets',
      'Inheritance or gift',
      'Benefits',
    ],
  },
  {
    question: 'What is your yearly income?',
    answers: ['Less than 20,000', '20,000 to 50,000', '50,000 to 100,000', 'More than 100,000'],
  },
  {
    question: 'How much do you expect to spend in a month?',
    answers: ['Less than 1,000', '1,000 to 5,000', '5,000 to 15,000', 'More than 15,000'],
  },
  {
    question: 'What will you use the account for?',
    answers: ['Daily purchases', 'Travel', 'Online purchases', 'Business expenses'],
  },
] as const

/** Returns whether every question has exactly one answer, from its own list. */
export function isComplete(given: readonly QuestionnaireAnswer[]): boolean {
  return (
    given.length === questions.length &&
    questions.every(({ question, answers }) =>
      given.some((each) => each.question === question && answers.some((answer) => answer === each.answer)),
    )
  )
}

/** The lifetime of an email code, and its number of attempts. */
export const codeLifetimeSeconds = 600
export const maxCodeAttempts = 5
