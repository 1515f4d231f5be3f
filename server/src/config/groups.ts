import { books } from './books.ts'
import { cards } from './card-programme.ts'
import { chains } from './chains.ts'
import { database } from './database.ts'
import { ibans } from './ibans.ts'
import { issuer } from './issuer.ts'
import { kyc } from './kyc.ts'
import { limits } from './limits.ts'
import { mail } from './mail.ts'
import { operators } from './operators.ts'
import { partners } from './partners.ts'
import { payouts } from './payouts.ts'
import { programme } from './programme.ts'
import { screening } from './screening.ts'
import { secrets } from './secrets.ts'
import { service } from './service.ts'
import type { Group, ValuesOf } from './setting.ts'
import { stablecoins } from './stablecoins.ts'
import { sweeps } from './sweeps.ts'
import { traces } from './traces.ts'

/** Every setting of the service, in the order of the documentation. */
export const groups = {
  service,
  programme,
  database,
  secrets,
  stablecoins,
  cards,
  limits,
  issuer,
  chains,
  payouts,
  sweeps,
  screening,
  kyc,
  ibans,
  mail,
  partners,
  operators,
  books,
  traces,
}

type SpecsOf<G> = G extends Group<infer S> ? S : never

/** The parsed values of all settings, by group. */
export type Values = { readonly [G in keyof typeof groups]: ValuesOf<SpecsOf<(typeof groups)[G]>> }

/** The same values without those of settings that have a problem. */
export type KnownValues = { readonly [G in keyof typeof groups]: Partial<ValuesOf<SpecsOf<(typeof groups)[G]>>> }
