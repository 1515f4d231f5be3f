import { countKeysUnderOldSecrets, reencryptKeys } from '../identity/access-tokens/keys.ts'
import { InvalidInput } from '../lib/errors.ts'
import { countLogsUnderOldSecrets, reauthenticateLogs } from '../money/reconcile/check-logs.ts'
import { countSealsUnderOldSecrets, reauthenticateSeals } from '../money/reconcile/seals.ts'
import { forgetOldSecrets } from '../platform/crypto/secrets-in-use.ts'
import { countEndpointsUnderOldSecrets, reencryptSeeds } from '../webhooks/endpoint-keys.ts'
import type { ShellCommand } from './operator-money.ts'

type SecretsCtx = Parameters<ShellCommand>[0]

/**
 * The rotation of SECRET. It runs beside the service, in batches that commit on their own. After an interruption, the
 * next run continues where the last one ended.
 */
export const secretCommands = {
  async 'secrets list'(ctx) {
    const left = await countLeft(ctx)
    return isNothing(left) ? 'Everything is stored under the first value of SECRET.' : describe(left)
  },
  async 'secrets rotate'(ctx) {
    const before = await countLeft(ctx)
    report(describe(before))
    await reencryptKeys(ctx)
    await reencryptSeeds(ctx, countdown(before.endpoints, 'webhook endpoints'))
    const seals = await reauthenticateSeals(ctx, countdown(before.seals, 'seals'))
    const logs = await reauthenticateLogs(ctx, countdown(before.records, 'records of sealed logs'))
    if (seals.rejected + logs.rejected > 0) {
      throw new InvalidInput(
        `${seals.rejected} seals and ${logs.rejected} records of sealed logs were not computed with any value of SECRET, and stay as they are. Keep the older values, and run "npm run reconcile".`,
      )
    }
    const after = await countLeft(ctx)
    if (!isNothing(after)) {
      throw new InvalidInput(
        `${describe(after)} A process still lists an older value of SECRET first. Restart it with the current SECRET, and run this again.`,
      )
    }
    await forgetOldSecrets(ctx.db, ctx.config.secrets)
    return 'Everything is stored under the first value of SECRET. Wait an hour, then remove the other values.'
  },
} satisfies Record<string, ShellCommand>

type Left = { readonly keys: number; readonly endpoints: number; readonly seals: number; readonly records: number }

async function countLeft(ctx: SecretsCtx): Promise<Left> {
  const [keys, endpoints, seals, records] = await Promise.all([
    countKeysUnderOldSecrets(ctx),
    countEndpointsUnderOldSecrets(ctx),
    countSealsUnderOldSecrets(ctx),
    countLogsUnderOldSecrets(ctx),
  ])
  return { keys, endpoints, seals, records }
}

function isNothing({ keys, endpoints, seals, records }: Left): boolean {
  return keys + endpoints + seals + records === 0
}

function describe({ keys, endpoints, seals, records }: Left): string {
  return `Left under older values of SECRET: ${keys} signing keys, ${endpoints} webhook endpoints, ${seals} seals and ${records} records of sealed logs.`
}

function countdown(total: number, name: string): (batch: number) => void {
  let left = total
  return (batch) => {
    left -= batch
    report(`${left} ${name} are left.`)
  }
}

/** Shows progress beside the result, which is the only output on stdout. */
function report(line: string): void {
  process.stderr.write(`${line}\n`)
}
