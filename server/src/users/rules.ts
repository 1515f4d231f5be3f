import type { EventType } from '../events/rules.ts'
import type { Currency } from '../lib/money.ts'

export const kycStatuses = [
  'notStarted',
  'documentsRequested',
  'pending',
  'processing',
  'approved',
  'resubmissionRequested',
  'requiresAction',
  'rejected',
] as const
export type KycStatus = (typeof kycStatuses)[number]

export const accountStatuses = ['provisioning', 'active', 'blocked', 'closed'] as const
export type AccountStatus = (typeof accountStatuses)[number]

/** From each state to the ones that it may become. A closed account never opens again. */
const nextStatuses: Readonly<Record<AccountStatus, readonly AccountStatus[]>> = {
  provisioning: ['active', 'blocked', 'closed'],
  active: ['provisioning', 'blocked', 'closed'],
  blocked: ['provisioning', 'active', 'closed'],
  closed: [],
}

/** What the partner is told when it has become so. */
export const accountEvents: Readonly<Record<AccountStatus, EventType>> = {
  provisioning: 'account.provisioning',
  active: 'account.activated',
  blocked: 'account.blocked',
  closed: 'account.closed',
}

export const kycEvents: Readonly<Record<KycStatus, EventType>> = {
  notStarted: 'kyc.profile.not_started',
  documentsRequested: 'kyc.profile.documents_requested',
  pending: 'kyc.profile.pending',
  processing: 'kyc.profile.processing',
  approved: 'kyc.profile.approved',
  resubmissionRequested: 'kyc.profile.resubmission_requested',
  requiresAction: 'kyc.profile.requires_action',
  rejected: 'kyc.profile.rejected',
}

export function mayBecome(from: AccountStatus, to: AccountStatus): boolean {
  return from === to || nextStatuses[from].includes(to)
}

const currencies: Readonly<Record<string, Currency>> = { GB: 'GBP', US: 'USD', BR: 'USD' }

/** The currency of a new account and of its cards. */
export function currencyOf(country: string | null): Currency {
  return currencies[country ?? ''] ?? 'EUR'
}

const countries = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
  CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
  GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
  KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
  NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
  SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
  VN VU WF WS YE YT ZA ZM ZW`.split(/\s+/),
)

/** Whether a text is an ISO 3166 alpha-2 code in use. */
export function isCountry(code: string): boolean {
  return countries.has(code)
}

/** One form for each mail address, so that it belongs to one user at most. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase()
}
