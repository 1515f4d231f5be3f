import { type Command, globalOptions } from '../command.ts'

const shells = ['bash', 'zsh', 'fish']

/** Returns the command that prints a script. The script completes the words of the given commands in a shell. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Prints the completion script of a shell',
  detail: 'For Bash, add this line to ~/.bashrc: eval "$(purser completion bash)"',
  arguments: [{ name: 'shell', description: 'The shell', choices: shells }],
  async run({ out }, given) {
    const shell = given.text('shell')
    const next = followers(commands())
    const script = shell === 'fish' ? fishScript(next) : bashScript(next, shell === 'zsh')
    out.result(script, [script])
  },
})

/** The words that can follow each line of words. */
type Followers = ReadonlyMap<string, ReadonlySet<string>>

function followers(commands: readonly Command[]): Followers {
  const next = new Map<string, Set<string>>()
  const add = (line: string, word: string) => next.set(line, (next.get(line) ?? new Set()).add(word))
  for (const { name, options = [], arguments: given = [] } of commands) {
    const words = name.split(' ')
    for (const [i, word] of words.entries()) add(words.slice(0, i).join(' '), word)
    for (const option of [...options, ...globalOptions]) add(name, `--${option.name}`)
    for (const choice of given[0]?.choices ?? []) add(name, choice)
  }
  return next
}

function bashScript(next: Followers, isZsh: boolean): string {
  const cases = [...next].map(([line, words]) => `    "${line}") words="${[...words].join(' ')}" ;;`)
  return `${isZsh ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_purser() {
  local line="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) line="\${line:+$line }$word" ;; esac
  done
  while :; do
    case "$line" in
${cases.map((text) => `  ${text}`).join('\n')}
    esac
    [ -n "$words" ] || [ -z "$line" ] && break
    case "$line" in *" "*) line="\${line% *}" ;; *) line="" ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _purser purser`
}

function fishScript(next: Followers): string {
  const lines = [...next].flatMap(([line, words]) => {
    const seen = line === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${line.split(' ').at(-1)}`
    return [...words].map((word) =>
      word.startsWith('--')
        ? `complete -c purser -n '${seen}' -l ${word.slice(2)}`
        : `complete -c purser -f -n '${seen}' -a ${word}`,
    )
  })
  return lines.join('\n')
}
