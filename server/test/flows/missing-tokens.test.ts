import { expect, test } from 'vitest'
import { rejectMissingTokens } from '../../src/money/reconcile/missing-tokens.ts'
import { startProcess } from '../proof/processes.ts'
import { startService } from '../support/service.ts'
import { eure, populate } from '../support/world.ts'

const tokens = {
  EURe: { address: '0xcB444e90D8198415266c6a2724b7900fb12FC56E', symbol: 'EURe', currency: 'EUR', decimals: 18 },
  EURC: { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', symbol: 'EURC', currency: 'EUR', decimals: 6 },
  GBPe: { address: '0x5Cb9073902F2035222B9749F8fB0c9BFe5527108', symbol: 'GBPe', currency: 'GBP', decimals: 18 },
  USDC: { address: '0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83', symbol: 'USDC', currency: 'USD', decimals: 6 },
}

function naming(...symbols: (keyof typeof tokens)[]) {
  return {
    CHAIN: 'simulated',
    TOKENS: JSON.stringify(symbols.map((symbol) => ({ ...tokens[symbol], chainId: 31337 }))),
  }
}

test('a start without the tokens and currencies in use fails with a message that names them', async () => {
  const before = await startService({ env: naming('EURe', 'GBPe', 'USDC') })
  const { alice } = await populate(before, { eur: 10, card: true })
  await alice.send('authorization', '2.00')
  // The cards of this account can be charged in dollars before it holds any.
  await before.newUser({ country: 'US' })
  await before.stop()

  // A real process, because the failed start ends it.
  const start = startProcess(before.connection, naming('GBPe'))
  const refused = await start.then(
    (started) => started.kill('SIGTERM').then(() => 'it started'),
    (error: Error) => error.message,
  )
  expect(refused).toContain('TOKENS lacks tokens that the books use:')
  expect(refused).toContain(`  - ${tokens.EURe.address}: users hold this token or have held it`)
  for (const currency of ['EUR', 'USD'])
    expect(refused).toContain(`  - a token in ${currency}: accounts use this currency`)
  expect(refused).not.toContain(tokens.USDC.address)
  expect(refused).not.toContain('missing-tokens.ts')
})

test('a token that was ever held must stay configured, and any other may be removed', async () => {
  const before = await startService({ env: naming('EURe', 'GBPe') })
  const { alice } = await populate(before, { eur: 10, card: true })
  await alice.send('authorization', '2.00')
  await before.stop()
  const restarted = async (...symbols: (keyof typeof tokens)[]) =>
    startService({ env: naming(...symbols), connection: before.connection })

  const replaced = await restarted('EURC')
  const refusal = rejectMissingTokens(replaced.ctx).catch((error: Error) => error.message)
  expect(await refusal).toContain(`  - ${tokens.EURe.address}: users hold this token or have held it\nAdd them again`)
  await replaced.stop()

  const after = await restarted('EURC', 'EURe')
  await rejectMissingTokens(after.ctx)
  const clearing = {
    transaction_type: 'clearing',
    card_id: alice.cardId,
    authorization_code: 'STORY1',
    currency: 'EUR',
  }
  expect(await after.sandbox('POST', '/transactions', { ...clearing, amount: '2.00' })).toMatchObject({ status: 200 })
  const token = await after.signIn(alice.wallet)
  const [balance] = (await after.request('GET', '/user/balances/v2', { token })).body.data
  expect(balance).toMatchObject({ currency: 'EUR', spendable: String(eure(8)) })
  await after.stop()
})
