import { listOperatorDecisions } from '../events/operator-decisions.ts'
import { InvalidInput } from '../lib/errors.ts'
import { checkLogs } from '../money/reconcile/check-logs.ts'
import type { CommandCtx } from './command.ts'
import { type DecisionProof, type SignedDecision, verifyProof } from './decision-signature.ts'
import { commandOf, policyOf, signaturesNeeded } from './rules.ts'

const pageSize = 500
const maxShown = 20

/**
 * Verifies every operator decision: the log's hash chain and MACs with a key derived from SECRET, and the signatures
 * with the wallets' addresses alone. Throws if any decision is wrong. Returns the counts in words.
 */
export async function verifyDecisions(ctx: CommandCtx): Promise<string> {
  const { badRows } = await checkLogs(ctx)
  const wrong = badRows
    .filter(({ table }) => table === 'operator_decision')
    .map(({ key, wrong: reason }) => `${key}: ${reason}`)
  const counts = { signed: 0, breakGlass: 0, contracts: 0, onePerson: 0 }
  for (let before: bigint | undefined; ; ) {
    const page = await listOperatorDecisions(ctx, { before }, pageSize)
    for (const { seq, proof, ...decision } of page) {
      before = seq
      if (proof === null) {
        counts.breakGlass++
        continue
      }
      counts.signed++
      const { problems, contracts, isOnePerson } = await verifyText(ctx, decision, proof)
      counts.contracts += contracts
      if (isOnePerson) counts.onePerson++
      wrong.push(...problems.map((problem) => `operator_decision ${seq}: ${problem}`))
    }
    if (page.length < pageSize) break
  }
  if (wrong.length > 0)
    throw new InvalidInput(`Problems: ${wrong.length}.\n${wrong.slice(0, maxShown).join('\n')}\nSee docs/incidents.md.`)
  const contracts =
    counts.contracts === 0 ? '' : ` Signatures from contract wallets: ${counts.contracts}. Only a node can verify them.`
  const onePerson =
    counts.onePerson === 0
      ? ''
      : ` Decisions that one person signed, but for which OPERATOR_POLICIES now requires two: ${counts.onePerson}.`
  return `Complete and authentic decisions: ${counts.signed} signed, ${counts.breakGlass} break-glass.${contracts}${onePerson}`
}

type Verified = Awaited<ReturnType<typeof verifyProof>> & { readonly isOnePerson: boolean }

/** Verifies a stored proof. An unreadable proof is a problem of its decision, and does not stop the verification. */
async function verifyText(
  { config }: Pick<CommandCtx, 'config'>,
  decision: Omit<SignedDecision, 'proof'>,
  text: string,
): Promise<Verified> {
  try {
    const proof: DecisionProof = JSON.parse(text)
    const found = await verifyProof({ ...decision, proof })
    // No wallet has signed the number in the proof, and the policy may have changed since the decision.
    const name = commandOf(decision.command)
    const needed = name === undefined ? 1 : signaturesNeeded(policyOf(config, name), proof.state, config.tokens)
    return { ...found, isOnePerson: proof.signers.length < needed }
  } catch {
    return { problems: ['its proof is unreadable'], contracts: 0, isOnePerson: false }
  }
}
