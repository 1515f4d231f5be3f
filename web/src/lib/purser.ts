import {
  accessToken,
  createPurser,
  type Purser,
  simulator,
  type WalletAdapter,
  type WalletSession,
  walletSession,
} from '@purser/client'
import { facts } from './facts.ts'

/** The longest wait before a retry. For a longer one, the call fails, and the page shows the remaining seconds. */
export const maxRetryAfterSeconds = 2

/** Builds the SDK client of this service. Requests go to the origin of the page, which may be a tunnel. */
function connect(auth: Parameters<typeof createPurser>[0]['auth']): Purser {
  return createPurser({
    baseUrl: location.origin,
    maxRetryAfterSeconds,
    ...(facts.apiUrl !== null && { apiUrl: facts.apiUrl }),
    ...(facts.authModuleUrl !== null && { authModuleUrl: facts.authModuleUrl }),
    ...(auth !== undefined && { auth }),
  })
}

export type Owner = { readonly purser: Purser; readonly session: WalletSession; readonly wallet: WalletAdapter }

/** Builds the client of a wallet's owner. The access token exists only in memory. `onToken` gets each new one. */
export function ownerClient(
  wallet: WalletAdapter,
  statement: string,
  onToken: (token: string | null) => void = () => undefined,
): Owner {
  const session = walletSession(wallet, { statement, onToken })
  return { purser: connect([session]), session, wallet }
}

/** Fails for a user who is closed, although the wallet can still sign in. Asks for no further signature. */
export async function requireOpen(token: string): Promise<void> {
  await connect([accessToken(token)]).user.getOnboarding()
}

/** Builds the client of the sandbox's simulator. */
export const simulatorClient = (password: string): Purser => connect([simulator(password)])
