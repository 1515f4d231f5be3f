import { expect, test } from 'vitest'
import { kycStatuses } from '../../lib/kyc-status.ts'
import {
  areCurrent,
  haveAccepted,
  isComplete,
  type OnboardingFacts,
  onboardingStatus,
  onboardingStatuses,
  questions,
} from './rules.ts'

const done: OnboardingFacts = {
  hasAcceptedTerms: true,
  kycStatus: 'approved',
  hasSourceOfFunds: true,
  accountStatus: 'active',
}

test.each<[string, Partial<OnboardingFacts>]>([
  ['completed', {}],
  ['completed', { accountStatus: 'blocked' }],
  ['completed', { accountStatus: 'closed' }],
  ['waiting_account_setup', { accountStatus: 'provisioning' }],
  ['action_create_account', { accountStatus: null }],
  ['action_complete_sof', { accountStatus: null, hasSourceOfFunds: false }],
  ['action_complete_kyc', { kycStatus: 'notStarted' }],
  ['action_complete_kyc', { kycStatus: 'documentsRequested' }],
  ['kyc_manual_review', { kycStatus: 'pending' }],
  ['kyc_manual_review', { kycStatus: 'processing' }],
  ['action_kyc_resubmission_requested', { kycStatus: 'resubmissionRequested' }],
  ['action_kyc_resubmission_requested', { kycStatus: 'requiresAction' }],
  ['action_accept_tos', { hasAcceptedTerms: false }],
  ['action_accept_tos', { hasAcceptedTerms: false, kycStatus: 'notStarted', hasSourceOfFunds: false }],
  ['rejected', { kycStatus: 'rejected' }],
  ['rejected', { kycStatus: 'rejected', hasAcceptedTerms: false }],
])('the onboarding status is %s for a completed user changed by %j', (status, change) => {
  expect(onboardingStatus({ ...done, ...change })).toBe(status)
})

test('every KYC status has an onboarding status, and only approved users complete onboarding', () => {
  for (const kycStatus of kycStatuses) {
    const status = onboardingStatus({ ...done, kycStatus })
    expect(onboardingStatuses).toContain(status)
    expect(status === 'completed').toBe(kycStatus === 'approved')
  }
})

test('a new version of the terms must be accepted again', () => {
  const accepted = [{ type: 'general', version: '1' }]
  expect(haveAccepted([{ type: 'general', version: '1' }], accepted)).toBe(true)
  expect(haveAccepted([{ type: 'general', version: '2' }], accepted)).toBe(false)
  expect(haveAccepted([...accepted, { type: 'card', version: '1' }], accepted)).toBe(false)
  expect(areCurrent(accepted, [{ type: 'general', version: '2' }])).toBe(false)
})

test('the questionnaire is complete when every question has exactly one of its answers', () => {
  const whole = questions.map(({ question, answers }) => ({ question, answer: answers[0] }))
  const [first, ...rest] = whole
  if (!first) throw new Error('no questions')
  expect(isComplete(whole)).toBe(true)
  expect(isComplete([...whole].reverse())).toBe(true)
  expect(isComplete(rest)).toBe(false)
  expect(isComplete([...whole, first])).toBe(false)
  expect(isComplete([first, first, ...rest.slice(1)])).toBe(false)
  expect(isComplete([{ ...first, answer: 'Lottery' }, ...rest])).toBe(false)
  expect(isComplete([{ question: 'What is your name?', answer: 'Ada' }, ...rest])).toBe(false)
})
