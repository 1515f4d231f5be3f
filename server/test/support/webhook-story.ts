import { newPartner, type TestPartner } from './partner.ts'
import { type DepositOptions, newWallet, type TestService, type TestUser } from './service.ts'
import { type Receiver, startReceiver } from './vendors/webhook-receiver.ts'

/** Returns functions that create partners with endpoints, and events of their users. */
export function webhookStories(serviceOf: () => TestService) {
  const receivers: Receiver[] = []

  async function newReceiver(): Promise<Receiver> {
    const receiver = await startReceiver()
    receivers.push(receiver)
    return receiver
  }

  async function addEndpoint(partner: TestPartner, url: string, events?: string[]) {
    const made = await partner.ask('POST', '/webhooks', { url, ...(events === undefined ? {} : { events }) })
    if (made.status !== 201) throw new Error(made.text)
    return made.body
  }

  async function newUserOf({ partnerId }: TestPartner, of: TestService = serviceOf()): Promise<TestUser> {
    const wallet = newWallet()
    const made = await of.sandbox('POST', '/users', { address: wallet.address, partnerId })
    return { ...made.body, wallet, token: await of.signIn(wallet) }
  }

  return {
    newReceiver,
    addEndpoint,
    newUserOf,
    euro: () => serviceOf().ctx.config.tokens[0]?.address,

    /** Creates a partner with an endpoint. */
    async newStory(events?: string[]) {
      const partner = await newPartner(serviceOf())
      const receiver = await newReceiver()
      const endpoint = await addEndpoint(partner, receiver.url, events)
      const path = `/webhooks/${endpoint.endpointId}`
      return {
        partner,
        receiver,
        endpoint,
        path,
        newUser: () => newUserOf(partner),
        state: async () => (await partner.ask('GET', path)).body,
        deliveries: async (query = '') => (await partner.ask('GET', `${path}/deliveries${query}`)).body.data,
      }
    },

    deposit: (userId: string, { amount = 10n ** 20n, ...options }: DepositOptions & { amount?: bigint } = {}) =>
      serviceOf().deposit({ userId }, amount, options),

    advance: (seconds: number) => serviceOf().advance(seconds),

    async closeReceivers(): Promise<void> {
      // A test may have closed its receiver already.
      await Promise.allSettled(receivers.splice(0).map(({ close }) => close()))
    },
  }
}
