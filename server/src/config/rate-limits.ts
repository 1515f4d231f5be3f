/**
 * What is counted. `any`: each request. `proof`: what a wallet signs besides its sign-ins, counted apart from them, since
 * whoever got hold of a token could else use up its owner's. `kyc`: what asks the provider of identity verification.
 * `partner`: sign-ups as one, since wallets are cheap.
 */
const limitedActions = ['any', 'sign-in', 'proof', 'code', 'kyc', 'card', 'withdrawal', 'partner'] as const
/** For whom it is counted: the network address that asks, the wallet that signed in, the user whom it owns. */
const limitSubjects = ['address', 'wallet', 'user'] as const

export type LimitedAction = (typeof limitedActions)[number]
export type LimitSubject = (typeof limitSubjects)[number]

export type RateLimit = {
  readonly action: LimitedAction
  readonly subject: LimitSubject
  /** so many … */
  readonly most: number
  /** … within so many seconds */
  readonly seconds: number
}

/** Who signs in once a minute, or asks for a code ten times an hour, is no person. */
export const productionRateLimits = [
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
].join(',')

/** `action.subject=most/seconds`, comma-separated. */
export function readRateLimits(given: string, problem: (wanted: string) => void): RateLimit[] {
  const limits = given
    .split(',')
    .map((text) => text.trim())
    .filter(Boolean)
    .flatMap((text) => {
      const [, actionName, subjectName, most, seconds] = /^([a-z-]+)\.([a-z]+)=(\d{1,7})\/(\d{1,6})$/.exec(text) ?? []
      const action = limitedActions.find((one) => one === actionName)
      const subject = limitSubjects.find((one) => one === subjectName)
      if (action && subject && Number(most) > 0 && Number(seconds) > 0) {
        return [{ action, subject, most: Number(most), seconds: Number(seconds) }]
      }
      problem(
        `"${text}" is not action.subject=most/seconds, of ${limitedActions.join(', ')} and ${limitSubjects.join(', ')}`,
      )
      return []
    })
  const names = limits.map(({ action, subject }) => `${action}.${subject}`)
  if (new Set(names).size !== names.length) problem('an action and subject stand twice')
  return limits
}
