import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planSteps, randomOf } from '../../../cli/src/scenarios/plan.ts'
import { runScenario } from '../../../cli/src/scenarios/run.ts'
import { parseScenario } from '../../../cli/src/scenarios/scenario.ts'
import { useCli } from '../support/cli.ts'
import { useService } from '../support/service.ts'
import { checkBooks } from '../support/world.ts'

const service = useService()
const cli = useCli(() => ({ PURSER_URL: service.url }))
const library = join(import.meta.dirname, '../../../cli/scenarios')
const all = readdirSync(library).map(
  (file) => [file.replace('.json', ''), readFileSync(join(library, file), 'utf8')] as const,
)
const needsChain = (text: string) => text.includes('"reorganize"')
const seeds = [undefined, 1, 2]

test.each(all.filter(([, text]) => !needsChain(text)))(
  'the scenario "%s" ends in its expected state, with and without repeated and reordered messages',
  async (_name, text) => {
    for (const seed of seeds) {
      const options = { baseUrl: service.url, sandboxPassword: 'sandbox', seed }
      expect(await runScenario(parseScenario(text), options), `seed ${seed}`).toEqual([])
    }
    await checkBooks(service)
  },
)

test('a scenario runs from the shell, and the exit code tells whether its state was reached', async () => {
  const listed = await cli.json('scenario list')
  expect(listed.map(({ name }: any) => name)).toEqual(all.map(([name]) => name))
  const run = await cli('trigger tip --seed 3')
  expect([run.code, run.stdout]).toEqual([0, 'correct: A tip clears higher than its authorization\n'])
  expect(run.stderr).toContain('clearing of 23.00: approved')
  expect(await cli('trigger nothing')).toMatchObject({ code: 2, stderr: expect.stringContaining('stuck-payout') })

  const file = join(cli.home(), 'declined.json')
  const message = { transaction_type: 'authorization', amount: '500.00' }
  const scenario = {
    title: 'Mine',
    balance: '1.00',
    steps: [{ message, status: 'approved' }],
    expected: { balances: {}, statement: [] },
  }
  await writeFile(file, JSON.stringify(scenario))
  const failed = await cli(`scenario run ${file}`)
  expect(failed).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'authorization of 500.00: denied, but approved was expected.\n',
  })
  const owed = { balances: { EUR: { spendable: '2.00' } }, statement: ['deposit approved 1.00'] }
  const deposit = { title: 'Wrong', balance: '0.00', steps: [{ deposit: { amount: '1.00' } }], expected: owed }
  await writeFile(file, JSON.stringify(deposit))
  expect(await cli(`scenario run ${file} --wait 0s --json`)).toEqual({
    code: 1,
    stdout: `${JSON.stringify({
      title: 'Wrong',
      isCorrect: false,
      differences: [{ place: 'EUR spendable', expected: '2.00', found: '1.00' }],
    })}\n`,
    stderr: expect.stringContaining('The sandbox did not end in the expected state.'),
  })
  expect(await cli(`scenario run ${file} --wait soon`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"soon" is not a duration.'),
  })
  await writeFile(file, '{}')
  expect(await cli(`scenario run ${file}`)).toMatchObject({ code: 2 })
  expect(await cli(`scenario run ${file}.not`)).toMatchObject({ code: 1 })
})

test('a difference from the expected state of a scenario names the place, the expected value and the found value', async () => {
  const [, text = ''] = all.find(([name]) => name === 'tip') ?? []
  const { expected: _expected, ...scenario } = parseScenario(text)
  const expected = { balances: { EUR: { spendable: '78.00' } }, statement: ['Payment settled 23.00'] }
  const options = { baseUrl: service.url, sandboxPassword: 'sandbox', settleMilliseconds: 0 }
  const found = { place: 'EUR spendable', expected: '78.00', found: '77.00' }
  expect(await runScenario({ ...scenario, expected }, options)).toEqual([found])
})

test('a scenario that begins without money compares every item of the statement', async () => {
  const options = { baseUrl: service.url, sandboxPassword: 'sandbox' }
  const steps = [{ deposit: { amount: '7.00' } }]
  const expected = { balances: { EUR: { spendable: '7.00' } }, statement: ['deposit approved 7.00'] }
  expect(await runScenario({ title: 'Empty', description: '', balance: '0.00', steps, expected }, options)).toEqual([])
})

test('the same seed gives a scenario the same order of messages, and only messages that may move are moved', () => {
  const message = (amount: string, transaction_type: 'clearing' | 'refund' = 'clearing') => ({
    message: { transaction_type, amount },
  })
  const steps = [message('1'), message('2'), message('3'), message('4', 'refund'), { advance: '1d' }, message('5')]
  const plan = (seed: number) => {
    let id = 0
    return planSteps(steps, () => String(id++), randomOf(seed)).map(({ eventId }) => eventId)
  }
  expect(plan(7)).toEqual(plan(7))
  const orders = new Set(Array.from({ length: 50 }, (_, seed) => [...new Set(plan(seed))].join('')))
  expect(orders.size).toBeGreaterThan(4)
  for (const order of orders) expect(order).toMatch(/^[012]{3}345$/)
})
