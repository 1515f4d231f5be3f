import { expect } from '@playwright/test'
import { apiKey, createPurser } from '@purser/client'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { newCardholder, newUser } from '../test/operator-world.ts'
import { addOperator, chainOf, operatorAt, propose } from '../test/operators.ts'
import { addMember, startReceiver, walletAt } from '../test/partner-world.ts'
import type { Service } from '../test/service.ts'

/** Data that fills every screen: long names, long numbers, and each state of a list. */

export const newAccount = () => privateKeyToAccount(generatePrivateKey())

/** Creates a partner with members, domains, keys and endpoints in each state. */
async function makePartner(service: Service) {
  const account = newAccount()
  const { purser } = walletAt(service, account)
  const { partner } = purser
  const { partnerId } = await partner.create({ name: 'Northwind Pay' })
  await propose(operatorAt(service), {
    ...{ command: 'partner details', subject: partnerId, arguments: { details: 'on' }, reason: 'A contract' },
  })
  await partner.domains.claim({ domain: 'pay.northwind.example', environment: 'production' })
  await partner.domains.verify('pay.northwind.example')
  const long = 'kundenportal.internationale-zahlungsdienste.northwind.invalid'
  await partner.domains.claim({ domain: long, environment: 'sandbox' })
  await addMember(purser, walletAt(service), 'developer')
  await addMember(purser, walletAt(service), 'viewer')
  await partner.invitations.create({ address: newAccount().address, role: 'developer' })
  await partner.kycClients.add({ clientId: 'example.client' })
  await partner.kycClients.add({ clientId: 'kyc.of-a-company-with-a-long-name.northwind.example' })
  const { key } = await partner.apiKeys.create({ name: 'Back office', scopes: ['users:read', 'events:read'] })
  const { keyId } = await partner.apiKeys.create({ name: 'Old accounting export, replaced', scopes: ['users:read'] })
  await partner.apiKeys.revoke(keyId)
  const receiver = await startReceiver()
  const working = await partner.webhooks.create({ url: receiver.url, description: 'Accounting' })
  receiver.trust(working.secret)
  const path = '/services/notifications/card-programme/webhooks/receive'
  const failing = await partner.webhooks.create({ url: `http://localhost:9${path}`, description: 'Old backend' })
  // This receiver does not know its secret, so it rejects each event.
  const refusing = await startReceiver()
  const dead = await partner.webhooks.create({ url: refusing.url, description: 'Data warehouse' })
  const disabled = await partner.webhooks.create({ url: `${receiver.url}/old`, description: 'Before the move' })
  await partner.webhooks.update(disabled.endpointId, { status: 'disabled' })
  const server = createPurser({ baseUrl: service.url, auth: apiKey(key), maxRetries: 0 })
  await server.partner.users.list()
  await server.partner.events.list()
  const endpoints = { working: working.endpointId, failing: failing.endpointId, dead: dead.endpointId }
  const close = async () => {
    await receiver.close()
    await refusing.close()
  }
  return { account, partner, partnerId, endpoints, close }
}

const longMerchant = 'Grand Hotel Europäischer Hof am Schlossgarten'

/** Creates an owner whose statement, cards and transfers have each state. */
async function makeOwner(service: Service, partnerId: string) {
  const email = 'ada.lovelace@example.com'
  const owner = await newCardholder(service, { account: newAccount(), partnerId, email, money: 1_500 })
  const { purser, cardId } = owner
  const send = async (transaction_type: string, amount: string, authorization_code: string, merchant_name: string) =>
    service.sandbox('POST', '/transactions', {
      ...{ transaction_type, amount, authorization_code, merchant_name, card_id: cardId, currency: 'EUR' },
    })
  const newCard = async (cardName: string) => (await purser.cards.create({ cardName, phone: '+4915123456789' })).cardId
  await newCard('Urlaubsreisen und Anschaffungen')
  const frozen = await newCard('Travel')
  await purser.cards.block(frozen)
  const ended = await newCard('Old card')
  await purser.cards.cancel(ended)
  await purser.cards.setLimits(cardId, { perTransaction: '250000', daily: null })
  await send('authorization', '9999.00', 'HOTEL1', longMerchant)
  await send('authorization', '120.50', 'HOTEL2', 'Pension Anker')
  await send('single_message', '3.20', 'TRAM01', 'Tram')
  await send('authorization', '40.00', 'MEAL01', 'Trattoria Sole')
  await send('clearing', '61.50', 'MEAL01', 'Trattoria Sole')
  await send('authorization', '59.90', 'BOOKS1', 'Harbor Books')
  await send('clearing', '59.90', 'BOOKS1', 'Harbor Books')
  await send('refund', '19.90', 'BOOKS1', 'Harbor Books')
  await owner.deposit(40, 'rejected')
  await owner.deposit(300, 'pending')
  await owner.withdraw(25)
  const { data: payments } = await purser.statement.list({ type: 'card_transaction', limit: 50 })
  const paymentAt = (name: string) =>
    payments.find((item) => item.type === 'card_transaction' && item.merchant.name === name)?.id ?? ''
  return { ...owner, frozen, ended, cleared: paymentAt('Trattoria Sole'), declined: paymentAt(longMerchant) }
}

/** Creates what operators work on. */
async function makeWork(service: Service, partnerId: string) {
  const operator = operatorAt(service)
  const { proposals, payouts } = operator.purser.operator
  await addOperator(service, newAccount().address, 'viewer', 'Wilhelmine Freifrau von Schwarzenberg-Hohenlohe')
  await addOperator(service, newAccount().address, 'support', 'Grace Hopper')
  const removed = newAccount().address
  await addOperator(service, removed, 'money', 'Linus Kaufmann')
  await propose(operator, { command: 'operator remove', subject: removed, reason: 'Left the company' })
  const over = await newCardholder(service, { money: 50, partnerId })
  await over.send('authorization', '10.00', 'OVER01')
  await over.send('clearing', '28.00', 'OVER01')
  const blocked = await newUser(service, { partnerId })
  const reason = 'The owner reports a stolen key, and asks us to stop every payment until a new wallet is proven'
  await propose(operator, { command: 'user block', subject: blocked.userId, reason })
  const rich = await newUser(service, { partnerId })
  await rich.deposit(1_234_567)
  const { depositId } = await rich.deposit(30, 'rejected')
  const change = { command: 'deposits return', subject: depositId, reason: 'refused by screening' } as const
  const open = await propose(operator, change)
  const unpaid = await newUser(service)
  await unpaid.deposit(50)
  const chain = await chainOf(service)
  const repair = await chain.breakToken()
  const { withdrawalId } = await unpaid.withdraw(10)
  const count = async () => (await payouts.list({ state: 'unpaid' })).data.length
  await expect.poll(count, { timeout: 120_000 }).toBe(1)
  await repair()
  const executed = (await proposals.list({ status: 'executed' })).data[0]?.proposalId ?? ''
  return { blocked, rich, unpaid: withdrawalId, open: open.proposalId, executed }
}

export type World = Awaited<ReturnType<typeof makeWorld>>

export async function makeWorld(service: Service) {
  const partner = await makePartner(service)
  const owner = await makeOwner(service, partner.partnerId)
  const work = await makeWork(service, partner.partnerId)
  const settled = async () => (await partner.partner.events.list({ type: 'card.transaction.settled' })).data[0]?.id
  await expect.poll(settled, { timeout: 60_000 }).toBeDefined()
  return { partner, owner, work, event: (await settled()) ?? '' }
}
