import { listOperators, type Operator } from '../operators/operators.ts'
import { printable } from '../operators/rules.ts'
import { verifyDecisions } from '../operators/verify-decisions.ts'
import { decide, type ShellCommand } from './operator-money.ts'

/** The commands about operators and their decisions. The first operators are added here. */
export const peopleShellCommands = {
  'operator list': async (ctx) => (await listAllOperators(ctx)).map(describeOperatorRow).join('\n'),
  'operator add <wallet> <role> <person> <reason>': (ctx, wallet, role, person, reason) =>
    decide(ctx, 'operator add', wallet, reason, { role, person }),
  'operator change <wallet> <role> <reason>': (ctx, wallet, role, reason) =>
    decide(ctx, 'operator change', wallet, reason, { role }),
  'operator remove <wallet> <reason>': (ctx, wallet, reason) => decide(ctx, 'operator remove', wallet, reason),
  'decisions verify': verifyDecisions,
} satisfies Readonly<Record<string, ShellCommand>>

async function listAllOperators(ctx: Parameters<typeof listOperators>[0]): Promise<Operator[]> {
  const operators: Operator[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof listOperators>> = await listOperators(ctx, {
      limit: 1000,
      ...(cursor === '' ? {} : { cursor }),
    })
    operators.push(...page.rows)
    cursor = page.pagination.nextCursor
  }
  return operators
}

function describeOperatorRow({ address, role, name, personId, contractChainId, removedAt }: Operator): string {
  const contract = contractChainId === null ? '' : `, contract on chain ${contractChainId}`
  const removed = removedAt === null ? '' : `, removed ${removedAt.toISOString()}`
  return `${address}  ${role}  ${printable(name)}  person ${personId}${contract}${removed}`
}
