import { type Command, Failure, UsageError } from '../command.ts'
import { type Setting, settings } from '../settings.ts'

const all: readonly Setting[] = Object.values(settings)

function settingNamed(name: string): Setting {
  const found = all.find((setting) => setting.name === name)
  if (found === undefined)
    throw new UsageError(`"${name}" is not a setting. Use ${all.map((each) => each.name).join(', ')}.`)
  return found
}

export const configCommands: readonly Command[] = [
  {
    name: 'config show',
    summary: 'Shows your settings, without secrets, and where they are stored',
    async run({ out, configuration }) {
      const rows: [string, string, string][] = []
      for (const [key, setting] of Object.entries(settings)) {
        const value = await configuration.get(key as keyof typeof settings)
        const shown = value === undefined ? '' : setting.isSecret ? '(set)' : value
        rows.push([setting.name, shown, setting.variable])
      }
      const values = Object.fromEntries(rows.map(([name, shown]) => [name, shown]))
      out.note(configuration.path)
      out.table({ path: configuration.path, ...values }, rows)
    },
  },
  {
    name: 'config set',
    summary: 'Stores a setting in your configuration file, which only you can read',
    detail: 'Asks for secrets, or reads them from standard input. They are never arguments, which other users can see.',
    arguments: [
      { name: 'name', description: 'The setting', choices: all.map(({ name }) => name) },
      { name: 'value', description: 'The value, unless the setting is a secret', isOptional: true },
    ],
    examples: ['config set url https://purser.example', 'config set api-key < key.txt'],
    async run({ out, configuration, askSecret }, given) {
      const setting = settingNamed(given.text('name'))
      const value = given.optional('value')
      if (setting.isSecret && value !== undefined) {
        throw new UsageError(`${setting.name} is a secret. Leave out the value: you are asked for it.`)
      }
      const text = value ?? (setting.isSecret ? await askSecret(`${setting.description}: `) : '')
      if (text === '') throw new Failure(`${setting.name} must not be empty.`)
      await configuration.set(setting.name, text)
      out.result({ [setting.name]: setting.isSecret ? '(set)' : text }, [
        `${setting.name} is stored in ${configuration.path}.`,
      ])
    },
  },
  {
    name: 'config unset',
    summary: 'Removes a setting from your configuration file',
    arguments: [{ name: 'name', description: 'The setting', choices: all.map(({ name }) => name) }],
    async run({ out, configuration }, given) {
      const { name } = settingNamed(given.text('name'))
      await configuration.set(name, null)
      out.result({ [name]: null }, [`${name} is removed.`])
    },
  },
]
