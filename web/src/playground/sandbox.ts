import { type Purser, parseAmount, type ResultOf } from '@purser/client'
import type { QueryClient } from '@tanstack/react-query'
import { simulatorClient } from '../lib/purser.ts'

export type SandboxPerson = ResultOf<'sandbox.users.list'>['data'][number]

/** The simulator with the few steps that the playground repeats. */
export type Sandbox = {
  readonly purser: Purser
  readonly hasOwnPassword: boolean
  /** Returns the id of the deposit. */
  deposit(
    userId: string,
    deposit: { amount: string; currency: string; result?: 'approved' | 'rejected' | 'pending'; isFinal?: boolean },
  ): Promise<string>
}

/** The query key of the users. A sandbox can have many pages of users, which are read one after another. */
export const peopleKey = 'people'

/** Reads everything again except the users, which no payment changes. */
export const refreshPayments = (queries: QueryClient) =>
  queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== peopleKey })

/** The password of a sandbox that nobody configured. */
export const defaultPassword = 'sandbox'

export function sandboxWith(password: string): Sandbox {
  const purser = simulatorClient(password)
  return {
    purser,
    hasOwnPassword: password !== defaultPassword,
    async deposit(userId, { amount, currency, result, isFinal }) {
      const { data: tokens } = await purser.sandbox.tokens.list()
      const token = tokens.find((each) => each.currency === currency) ?? tokens[0]
      if (token === undefined) throw new RangeError(`no token is in ${currency}`)
      const units = String(parseAmount(amount, token.decimals))
      const made = await purser.sandbox.deposits.create({
        userId,
        token: token.address,
        amount: units,
        ...(result && { result }),
        ...(isFinal === false && { final: false }),
      })
      return made.depositId
    },
  }
}
