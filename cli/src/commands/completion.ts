import { type Command, optionsOf } from '../command.ts'

const shells = ['bash', 'zsh', 'fish']

/** Returns the command that prints a script. The script completes the words of the given commands in a shell. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Prints the completion script of a shell',
  detail:
    'For Bash, add this line to ~/.bashrc: eval "$(purser completion bash)". For Zsh, add it to ~/.zshrc with "zsh" in place of "bash". For fish, write the script to ~/.config/fish/completions/purser.fish.',
  isWithoutJson: true,
  arguments: [{ name: 'shell', description: 'The shell', choices: shells }],
  async run({ out }, given) {
    const shell = given.text('shell')
    const next = followers(commands())
    const script = shell === 'fish' ? fishScript(next) : bashScript(next, shell === 'zsh')
    out.result(script, [script])
  },
})

/** The words that can follow each line of words, and the values that can follow an option of a line. */
type Followers = {
  readonly words: ReadonlyMap<string, ReadonlySet<string>>
  /** By line and option: `sandbox deposit --result`. The list is empty if any value is valid. */
  readonly values: ReadonlyMap<string, readonly string[]>
}

function followers(commands: readonly Command[]): Followers {
  const next = new Map<string, Set<string>>()
  const values = new Map<string, readonly string[]>()
  const add = (line: string, word: string) => next.set(line, (next.get(line) ?? new Set()).add(word))
  for (const command of commands) {
    const { name, arguments: given = [] } = command
    const words = name.split(' ')
    for (const [i, word] of words.entries()) add(words.slice(0, i).join(' '), word)
    for (const { name: option, value, choices = [] } of optionsOf(command)) {
      add(name, `--${option}`)
      if (value !== undefined) values.set(`${name} --${option}`, choices)
    }
    for (const choice of given[0]?.choices ?? []) add(name, choice)
  }
  return { words: next, values }
}

/** Zsh can run Bash completions only after compinit, which an unconfigured shell has not run. */
const zshStart = `(( $+functions[compdef] )) || { autoload -U compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
`

function bashScript({ words, values }: Followers, isZsh: boolean): string {
  const lines = [...words].map(([line, each]) => `      "${line}") words="${[...each].join(' ')}"; break ;;`)
  const options = [...values].map(([line, choices]) => `    "${line}") words="${choices.join(' ')}" ;;`)
  return `${isZsh ? zshStart : ''}_purser() {
  local line="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) line="\${line:+$line }$word" ;; esac
  done
  while :; do
    case "$line" in
${lines.join('\n')}
    esac
    case "$line" in *" "*) line="\${line% *}" ;; *) line="" ;; esac
  done
  case "$line \${COMP_WORDS[COMP_CWORD-1]}" in
${options.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _purser purser`
}

function fishScript({ words, values }: Followers): string {
  const lines = [...words].flatMap(([line, each]) =>
    [...each].map((word) => {
      if (!word.startsWith('--')) return `complete -c purser -f -n '__purser_is "${line}"' -a ${word}`
      const choices = values.get(`${line} ${word}`)
      const value = choices === undefined ? '' : choices.length === 0 ? ' -r' : ` -x -a '${choices.join(' ')}'`
      return `complete -c purser -n '__purser_begins "${line}"' -l ${word.slice(2)}${value}`
    }),
  )
  return `function __purser_line
  set -l words (commandline -opc)
  set -e words[1]
  set -l line
  for word in $words
    string match -q -- '-*' $word; and break
    set -a line $word
  end
  echo "$line"
end
function __purser_is
  set -l line (__purser_line)
  test "$line" = "$argv[1]"
end
function __purser_begins
  set -l line (__purser_line)
  string match -q -- "$argv[1] *" "$line "
end
${lines.join('\n')}`
}
