import type { ReportProblem } from './setting.ts'

/**
 * The actions that are counted. `any`: each request. `proof`: signatures other than sign-ins; they have a separate
 * count, so that the holder of a stolen access token cannot use up the sign-ins of the owner. `proof` also counts an
 * operator's reveals, evidence and checks of a user's books. `kyc`: requests that reach the verification provider.
 * `partner`: sign-ups, limited by network address, because wallets cost nothing. `domain`: checks of a domain proof.
 * Each sends a request to a host that the partner names and may not own.
 */
export const limitedActions = [
  'any',
  'sign-in',
  'proof',
  'code',
  'kyc',
  'card',
  'withdrawal',
  'partner',
  'domain',
] as const
/** The subject of a count: the client's network address, the wallet that signed in, its user, or the partner. */
const limitSubjects = ['address', 'wallet', 'user', 'partner'] as const

export type LimitedAction = (typeof limitedActions)[number]
export type LimitSubject = (typeof limitSubjects)[number]

export type RateLimit = {
  readonly action: LimitedAction
  readonly subject: LimitSubject
  readonly max: number
  /** The length of the window. */
  readonly seconds: number
}

/** Far above the needs of a person: nobody signs in every few seconds, or requests a code every few minutes. */
export const defaultRateLimits = [
  'any.address=1200/60',
  'sign-in.address=60/60',
  'sign-in.wallet=10/60',
  'proof.address=60/60',
  'proof.wallet=10/60',
  'code.address=30/3600',
  'code.wallet=5/3600',
  'kyc.user=60/60',
  'card.user=20/3600',
  'withdrawal.user=30/3600',
  'partner.address=20/3600',
  'domain.address=60/3600',
  'domain.partner=60/3600',
]

export const rateLimitPattern = new RegExp(
  `^(${limitedActions.join('|')})\\.(${limitSubjects.join('|')})=([1-9]\\d{0,6})/([1-9]\\d{0,5})$`,
)
export const rateLimitRequirement = `action.subject=max/seconds, with an action of ${limitedActions.join(', ')} and a subject of ${limitSubjects.join(', ')}`

/** Parses limits that match the pattern. */
export function parseRateLimits(given: readonly string[], report: ReportProblem): readonly RateLimit[] {
  const limits = given.flatMap((text): RateLimit[] => {
    const [, actionName, subjectName, max, seconds] = rateLimitPattern.exec(text) ?? []
    const action = limitedActions.find((one) => one === actionName)
    const subject = limitSubjects.find((one) => one === subjectName)
    return action && subject ? [{ action, subject, max: Number(max), seconds: Number(seconds) }] : []
  })
  const names = limits.map(({ action, subject }) => `${action}.${subject}`)
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) < i) report(`must not limit ${name} twice.`)
  }
  return limits
}
