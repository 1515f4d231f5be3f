import { type Command, globalOptions, type Option, optionsOf, rulesOf } from './command.ts'
import { commands } from './commands.ts'
import { type Setting, settings } from './settings.ts'

/** Returns the part of docs/cli.md that describes the commands and settings. */
export function commandReference(): string {
  const rows = Object.values<Setting>(settings).map(
    ({ name, variable, description, isSecret, fallback }) =>
      `| \`${name}\` | \`${variable}\`${isSecret ? `, \`${variable}_FILE\`` : ''} | ${description}${isSecret ? ' (secret)' : ''} | ${fallback === undefined ? '' : `\`${fallback}\``} |`,
  )
  return `| Setting | Environment | Meaning | Default |
|---|---|---|---|
${rows.join('\n')}

| Option of every command | Meaning |
|---|---|
${globalOptions.map((option) => `| \`${flagsOf(option)}\` | ${option.description}${exceptionsOf(option)} |`).join('\n')}

${commands.map(sectionOf).join('\n\n')}
`
}

function sectionOf({ name, summary, detail, arguments: given = [], options = [], examples = [] }: Command): string {
  const usage = ['purser', name, ...given.map((each) => (each.isOptional ? `[${each.name}]` : `<${each.name}>`))].join(
    ' ',
  )
  const rows = [
    ...given.map((each) => `| \`${each.name}\` | ${each.description}${choicesOf(each.choices)} |`),
    ...options.map(
      (each) => `| \`${flagsOf(each)}\` | ${each.description}${choicesOf(each.choices)}${rulesOf(each)} |`,
    ),
  ]
  return [
    `### \`${usage}\``,
    `${summary}.${detail === undefined ? '' : ` ${detail}`}`,
    ...(rows.length === 0 ? [] : [`| Argument or option | Meaning |\n|---|---|\n${rows.join('\n')}`]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.map((line) => `purser ${line}`).join('\n')}\n\`\`\``]),
  ].join('\n\n')
}

const flagsOf = ({ name, value }: Option) => (value === undefined ? `--${name}` : `--${name} <${value}>`)

/** Names the commands that do not take this global option. */
function exceptionsOf(option: Option): string {
  const names = commands.filter((command) => !optionsOf(command).includes(option)).map(({ name }) => `\`${name}\``)
  return names.length === 0 ? '' : `. Not with ${names.join(' and ')}`
}

function choicesOf(choices: readonly string[] | undefined): string {
  return choices === undefined ? '' : `: ${choices.map((choice) => `\`${choice}\``).join(', ')}`
}
