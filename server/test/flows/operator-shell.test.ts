import { expect, test } from 'vitest'
import { usageOf } from '../../src/commands/usage.ts'
import { operatorCommands } from '../../src/config/operators.ts'
import { listOperatorDecisions } from '../../src/events/operator-decisions.ts'
import { breakGlass } from '../../src/operators/break-glass.ts'
import { addOperator } from '../../src/operators/operators.ts'
import { grantDetails } from '../../src/partners/approval.ts'
import { newOperator } from '../support/console.ts'
import { runOperator } from '../support/operator.ts'
import { newPartner } from '../support/partner.ts'
import { newWallet } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

/** The shell changes the database without a signature, so it must check every argument itself. */
const { service } = useWorld({ env: { PARTNER_SIGN_UP: 'approval' }, worker: false })

const decisions = () => listOperatorDecisions(service.ctx)

test('a word other than on or off neither grants nor withdraws the details of a partner', async () => {
  const { partnerId } = await newPartner(service)
  const ada = await newOperator(service, 'admin')
  const details = async () => (await ada.ask('GET', `/partners/${partnerId}`)).body.readsDetails
  await grantDetails(service.ctx, partnerId, true)
  for (const word of ['ON', 'true', 'off\n']) {
    const { code, output } = await runOperator(service, ['partner', 'details', partnerId, word, 'contract 17'])
    expect([code, output], word).toEqual([1, 'details must be on or off.\n'])
  }
  expect(await details()).toBe(true)
  expect((await decisions()).filter(({ subject }) => subject === partnerId)).toEqual([])
  await runOperator(service, ['partner', 'details', partnerId, 'off', 'contract 18'])
  expect(await details()).toBe(false)
})

test('the name of an operator contains no control characters', async () => {
  const { address } = newWallet()
  for (const person of ['\u001b[2J', 'Ada\nLovelace', 'Ada\u202eecalevoL', 'x'.repeat(101)]) {
    const { code, output } = await runOperator(service, [
      'operator',
      'add',
      address,
      'admin',
      person,
      'a new colleague',
    ])
    expect([code, output], JSON.stringify(person)).toEqual([1, 'person must be a name, or the id of a known person.\n'])
  }
  expect((await decisions()).filter(({ subject }) => subject === address)).toEqual([])
})

test('the list of operators prints no control characters of an older name', async () => {
  const wallet = newWallet().address
  const person = { wallet, role: 'viewer', person: 'Eve\u001b[2K\u202eAda', by: 'ada' } as const
  await service.ctx.db.transaction((tx) => addOperator(service.ctx, tx, person))
  const { output } = await runOperator(service, ['operator', 'list'])
  expect(output).toContain(`${wallet}  viewer  Eve?[2K?Ada  person`)
})

test('the shell lists more operators than fit on one page', async () => {
  const { personId } = await newOperator(service, 'viewer')
  await service.ctx.db.query(
    `-- by a test
     insert into operator (address, person_id, role, added_by, created_at)
     select '0x' || lpad(to_hex(n), 40, '0'), $1, 'viewer', 'a test', $2 from generate_series(1, 1001) n`,
    [personId, service.ctx.clock.now()],
  )
  const { output } = await runOperator(service, ['operator', 'list'])
  expect(output.split('\n').filter((line) => line.includes(personId))).toHaveLength(1002)
})

test('every change in the shell takes a reason', () => {
  // The shell has the state of a switch as an argument.
  const changes = new Set(Object.keys(operatorCommands).map((name) => name.replace(/^(switch .*) (on|off)$/, '$1')))
  for (const line of usageOf().matchAll(/^ {2}(\w.*)$/gm)) {
    const [typed = ''] = line.slice(1)
    if (changes.has(typed.split(' <')[0] ?? '')) expect(typed).toMatch(/ <reason>$/)
  }
})

test('a change in the shell without a reason is not made', async () => {
  const { userId } = await service.newUser()
  const { code, output } = await runOperator(service, ['user', 'block', userId])
  expect([code, output.split('\n')[0]]).toEqual([2, '"user block" needs <reason>.'])
  for (const reason of ['', ' ', 'x'.repeat(501)]) {
    const blocked = breakGlass(service.as('operator'), 'user block', { subject: userId, arguments: {} }, reason)
    await expect(blocked).rejects.toThrow('The reason must have 1 to 500 characters.')
  }
  expect((await decisions()).filter(({ subject }) => subject === userId)).toEqual([])
})
