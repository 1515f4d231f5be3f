import type { OperatorCommand } from '../config/operators.ts'
import { listKeys, lockKeys, retireKey, rotateKeys } from '../identity/access-tokens/keys.ts'
import { InvalidInput } from '../lib/errors.ts'
import { listDomains, lockDomains, registerDomain, removeDomain } from '../partners/domains.ts'
import type { Tx } from '../platform/db/db.ts'
import type { KillSwitch } from '../switches/rules.ts'
import { lockSwitch, turnSwitch } from '../switches/switches.ts'
import { type Command, type CommandCtx, type CommandTarget, changed } from './command.ts'
import type { State } from './decision-signature.ts'

/** The commands about sign-in domains, signing keys and kill switches. */
type AccessCommand = Extract<OperatorCommand, `domain ${string}` | `keys ${string}` | `switch ${string}`>

export const accessCommands = {
  'domain add': {
    permission: 'domains:write',
    arguments: {},
    describeState: describeDomain,
    async execute(ctx, _tx, { subject }) {
      const isChanged = await registerDomain(ctx, subject)
      return { text: `${subject} is ${isChanged ? '' : 'already '}registered.`, isChanged }
    },
  },
  'domain remove': {
    permission: 'domains:write',
    arguments: {},
    describeState: describeDomain,
    async execute(ctx, _tx, { subject }) {
      const isChanged = await removeDomain(ctx, subject)
      return { text: `${subject} is ${isChanged ? 'removed' : 'not registered'}.`, isChanged }
    },
  },
  'keys rotate': {
    permission: 'keys:write',
    arguments: {},
    describeState: describeKeys,
    async execute(ctx) {
      const { key, isNew } = await rotateKeys(ctx)
      const isWaiting = isNew ? '' : 'is already published, and '
      return { text: `${key.kid}  ${isWaiting}signs from ${key.activeFrom.toISOString()}`, isChanged: isNew }
    },
  },
  'keys retire': {
    permission: 'keys:write',
    arguments: {},
    describeState: describeKeys,
    async execute(ctx, _tx, { subject }) {
      if (await retireKey(ctx, subject)) return changed(`${subject} is retired.`)
      throw new InvalidInput(`No active key has the id ${subject}. List the keys with "keys list".`)
    },
  },
  'switch payouts off': switchCommand('payouts', 'off'),
  'switch payouts on': switchCommand('payouts', 'on'),
  'switch card-approvals off': switchCommand('card-approvals', 'off'),
  'switch card-approvals on': switchCommand('card-approvals', 'on'),
} satisfies Record<AccessCommand, Command>

async function describeDomain(ctx: CommandCtx, tx: Tx, { subject }: CommandTarget): Promise<State> {
  await lockDomains(tx)
  return { registered: (await listDomains(ctx)).includes(subject) ? 'yes' : 'no' }
}

/** Leaves out retired keys, which do not affect the next decision. */
async function describeKeys(ctx: CommandCtx, tx: Tx): Promise<State> {
  await lockKeys(tx)
  const active = (await listKeys(ctx)).filter(({ retiredAt }) => retiredAt === null)
  return { active: active.map(({ kid }) => kid).join(' ') }
}

/** The subject is the switch. */
function switchCommand(name: KillSwitch, state: 'on' | 'off'): Command {
  return {
    permission: 'switches:write',
    arguments: {},
    async describeState(_ctx, tx, { subject }) {
      if (subject !== name) throw new InvalidInput(`The subject must be ${name}.`)
      return { [name]: (await lockSwitch(tx, name))?.isOn ? 'on' : 'off' }
    },
    async execute(ctx) {
      const isChanged = await turnSwitch(ctx, name, { isOn: state === 'on' })
      return { text: `The switch ${name} is ${isChanged ? '' : 'already '}${state}.`, isChanged }
    },
  }
}
