type Color = 'red' | 'green'

const colorCodes: Readonly<Record<Color, number>> = { red: 31, green: 32 }
const escapeCharacter = String.fromCharCode(27)

export type OutputOptions = {
  readonly isJson: boolean
  readonly isColored: boolean
  /** The width of the terminal. Without a terminal, there is no limit. */
  readonly columns: number
  /** Whether a terminal shows the progress of long work. */
  readonly hasProgress: boolean
  readonly write: (text: string) => void
  readonly note: (text: string) => void
}

/** Writes results to stdout and everything else to stderr, so that a pipe receives results only. */
export class Output {
  readonly #options: OutputOptions
  #work = 'Working'
  #isQuiet = false
  #hasLine = false

  constructor(options: OutputOptions) {
    const { write, note } = options
    const withoutLine = (print: (text: string) => void) => (text: string) => {
      this.#eraseLine()
      print(text)
    }
    this.#options = { ...options, write: withoutLine(write), note: withoutLine(note) }
  }

  /** Names the work in progress, such as `120 read`. */
  working(text: string): void {
    this.#work = text
  }

  /** Shows the work in progress in a line of the terminal. The next output replaces it. */
  showProgress(seconds: number): void {
    const { hasProgress, isJson, note } = this.#options
    if (!hasProgress || isJson || this.#isQuiet) return
    note(`${this.#work} … ${seconds} s`)
    this.#hasLine = true
  }

  /** Shows no progress while a person or another program uses the terminal. */
  async withoutProgress<T>(use: () => Promise<T>): Promise<T> {
    this.#eraseLine()
    this.#isQuiet = true
    return use().finally(() => {
      this.#isQuiet = false
    })
  }

  #eraseLine(): void {
    if (!this.#hasLine) return
    this.#hasLine = false
    this.#options.note(`\r${escapeCharacter}[K`)
  }

  /** Prints a result: as one line of JSON, or as lines for people. */
  result(value: unknown, lines: readonly string[] = [JSON.stringify(value, null, 2)], color?: Color): void {
    const { isJson, write } = this.#options
    if (isJson) write(`${JSON.stringify(value)}\n`)
    else for (const line of lines) write(`${this.#colored(printable(line), color)}\n`)
  }

  /** Prints the columns of rows, aligned. */
  table(value: unknown, given: readonly (readonly string[])[]): void {
    if (given.length === 0) this.note('Nothing was found.')
    this.result(value, aligned(given))
  }

  /**
   * Prints records as a table with a header, or one below the other if the terminal is too narrow. Without columns, it
   * shows every field that is not an object.
   */
  records(values: readonly unknown[], columns?: readonly string[]): void {
    const records = values.map((value) => Object(value) as Readonly<Record<string, unknown>>)
    const names = columns ?? [
      ...new Set(records.flatMap((record) => Object.keys(record).filter((name) => isPlain(record[name])))),
    ]
    const titles = names.map(titleOf)
    const rows = records.map((record) => names.map((name) => textOf(record[name])))
    if (rows.length === 0) {
      this.table(values, [])
      return
    }
    const table = aligned([titles, ...rows])
    const fits = table.every((line) => columnsOf(line) <= this.#options.columns)
    const blocks = rows.map((row) => aligned(row.map((cell, i) => [titles[i] ?? '', cell])))
    this.result(values, fits ? table : blocks.flatMap((block, i) => (i === 0 ? block : ['', ...block])))
  }

  /** Prints one record: a line per field, with nested ones below. */
  record(value: object): void {
    this.result(value, linesOf(value))
  }

  /** Prints a text as it is. */
  raw(text: string): void {
    this.#options.write(text)
  }

  /** Prints a text to stderr as it is. */
  rawNote(text: string): void {
    this.#options.note(text)
  }

  /** Prints a remark to stderr. */
  note(text: string): void {
    this.#options.note(`${printable(text)}\n`)
  }

  /** Prints a usage error as JSON. Without `--json`, the parser has already printed it as text. */
  usage(text: string): void {
    if (this.#options.isJson) this.failure(text)
  }

  failure(text: string, details: object = {}): void {
    const { isJson, note } = this.#options
    note(isJson ? `${JSON.stringify({ error: text, ...details })}\n` : `${this.#colored(printable(text), 'red')}\n`)
  }

  #colored(text: string, color: Color | undefined): string {
    if (!this.#options.isColored || color === undefined) return text
    return `${escapeCharacter}[${colorCodes[color]}m${text}${escapeCharacter}[39m`
  }
}

/** Replaces control characters, because other people choose some texts and could rewrite the terminal. */
function printable(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, '?')
}

/** Returns a text without line breaks, which could forge a row or a field. */
export const onOneLine = (text: string) => printable(text).replaceAll('\n', '?')

/** Returns the lines of a table whose columns are aligned. */
function aligned(given: readonly (readonly string[])[]): string[] {
  const rows = given.map((row) => row.map(onOneLine))
  const widths: number[] = []
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, columnsOf(cell))
  }
  const padded = (cell: string, i: number) => cell + ' '.repeat((widths[i] ?? 0) - columnsOf(cell))
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}

const graphemes = new Intl.Segmenter('en')

/** Matches a character that terminals show in two columns: ideographs, kana, Hangul, full-width letters and emoji. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u

/** Returns the number of columns that a terminal shows a text in. */
function columnsOf(text: string): number {
  let columns = 0
  for (const { segment } of graphemes.segment(text)) columns += wide.test(segment) ? 2 : 1
  return columns
}

const isPlain = (value: unknown) => typeof value !== 'object' || value === null

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return isPlain(value) ? onOneLine(String(value)) : JSON.stringify(value)
}

/** Returns the title of a column: `createdAt` becomes `CREATED AT`. */
const titleOf = (name: string) => name.replace(/[A-Z]/g, ' $&').toUpperCase()

function linesOf(value: object, indent = ''): string[] {
  const entries = Object.entries(value)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries.flatMap(([name, field]) => {
    if (isPlain(field)) return [`${indent}${name.padEnd(width)}  ${textOf(field)}`.trimEnd()]
    const nested = linesOf(field, `${indent}  `)
    return nested.length === 0 ? [`${indent}${name.padEnd(width)}  none`] : [`${indent}${name}`, ...nested]
  })
}
