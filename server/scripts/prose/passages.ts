import ts from 'typescript'
import type { Kind, Passage, Word } from './rules.ts'

/** Splits text into words, and counts lines from the given one. */
function wordsOf(text: string, firstLine: number): Word[] {
  return text.split('\n').flatMap((line, index) =>
    line
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => ({ text: word, line: firstLine + index })),
  )
}

const passage = (kind: Kind, text: string, line: number): Passage => ({ kind, words: wordsOf(text, line) })

/** Splits lines into paragraphs. Blank lines, list items, headings, table rows and tags begin a new one. */
function paragraphs(kind: Kind, lines: readonly string[], firstLine: number): Passage[] {
  const passages: Passage[] = []
  let fence = false
  let current: Word[] = []
  const finish = () => {
    if (current.length > 0) passages.push({ kind, words: current })
    current = []
  }
  for (const [index, line] of lines.entries()) {
    const number = firstLine + index
    if (/^\s*(```|~~~)/.test(line)) fence = !fence
    if (fence || /^\s*(```|~~~|<!--)/.test(line)) {
      finish()
    } else if (/^\s*\|/.test(line)) {
      finish()
      const cells = line.replaceAll('\\|', '/').split('|')
      for (const cell of cells) if (/[\p{L}]/u.test(cell)) passages.push(passage(kind, cell.trim(), number))
    } else {
      const marker = /^\s*([-*+]|\d+\.|#+|>|@\w+)\s+/.exec(line)
      const isLayout = kind === 'message' && /^ {2}/.test(line)
      if (marker !== null || isLayout || line.trim() === '') finish()
      current.push(...wordsOf(line.slice(marker?.[0].length ?? 0), number))
      if (/^\s*#+\s/.test(line)) finish()
    }
  }
  finish()
  return passages
}

export function markdownPassages(text: string): Passage[] {
  return paragraphs('document', text.split('\n'), 1)
}

/** Reads comments of languages in which a mark at the beginning of a line, or after code, starts one. */
export function lineCommentPassages(text: string, mark: '--' | '#' | '//'): Passage[] {
  const comment = new RegExp(`^\\s*${mark}\\/?(?!!)\\s?(.*)$`)
  const trailing = new RegExp(`\\s${mark}\\s(.*)$`)
  const passages: Passage[] = []
  let block: string[] = []
  let first = 1
  const finish = () => {
    passages.push(...paragraphs('comment', block, first))
    block = []
  }
  for (const [index, line] of text.split('\n').entries()) {
    const whole = comment.exec(line)?.[1]
    if (whole === undefined) finish()
    const text = whole ?? trailing.exec(line)?.[1]
    if (text === undefined) continue
    if (block.length === 0) first = index + 1
    block.push(text)
    if (whole === undefined) finish()
  }
  finish()
  return passages
}

const directive = /^\s*(biome-ignore|@ts-|@vitest|v8 ignore|eslint|prettier|\/)/
/** Statements of SQL, markup and paths are code, not prose. */
const codeInString =
  /^\s*(select|insert|update|delete|with|create|alter|drop|lock|begin|commit|set|from|where|and|or|order by|join|left join|union|values|on conflict|returning|<|\{|\/)/

/** Reads comments, messages, test titles and identifiers of TypeScript. In tests, ignores the messages. */
export function typescriptPassages(text: string, options: { messages: boolean; isPage?: boolean }): Passage[] {
  const source = ts.createSourceFile(options.isPage ? 'page.tsx' : 'source.ts', text, ts.ScriptTarget.Latest, true)
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1
  const passages: Passage[] = []
  const comments = new Map<number, ts.CommentRange>()

  function strings(node: ts.Node): void {
    if (ts.isJsxAttribute(node) && node.name.getText() === 'className') return
    const title = titleOf(node)
    if (title !== undefined) passages.push(passage('test title', textOf(title), lineOf(title.getStart())))
    if (options.messages && isText(node) && !isText(node.parent) && !ts.isImportDeclaration(node.parent)) {
      const message = textOf(node)
      const isProse = message.trim().split(/\s+/).length > 3 && !codeInString.test(message)
      if (isProse) passages.push(...paragraphs('message', message.split('\n'), lineOf(node.getStart())))
    }
    if (ts.isIdentifier(node) && isDeclared(node)) {
      passages.push(passage('identifier', node.text, lineOf(node.getStart())))
    }
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) comments.set(range.pos, range)
    for (const range of ts.getTrailingCommentRanges(text, node.end) ?? []) comments.set(range.pos, range)
    for (const child of node.getChildren(source)) strings(child)
  }
  strings(source)
  return [...passages, ...commentPassages(text, [...comments.values()], lineOf)]
}

/** Joins line comments that follow each other, so that a sentence may run over several of them. */
function commentPassages(
  text: string,
  ranges: readonly ts.CommentRange[],
  lineOf: (position: number) => number,
): Passage[] {
  const blocks: { lines: string[]; first: number; last: number }[] = []
  for (const { pos, end, kind } of ranges.toSorted((a, b) => a.pos - b.pos)) {
    const first = lineOf(pos)
    const raw = text.slice(pos, end)
    const stars = kind === ts.SyntaxKind.MultiLineCommentTrivia
    const lines = stars
      ? raw
          .slice(2, -2)
          .split('\n')
          .map((line) => line.replace(/^\s*\*+ ?/, ''))
      : [raw.slice(2)]
    if (lines.some((line) => directive.test(line))) continue
    const before = blocks.at(-1)
    if (!stars && before !== undefined && before.last === first - 1) {
      before.lines.push(...lines)
      before.last = first
    } else {
      blocks.push({ lines, first, last: stars ? -1 : first })
    }
  }
  return blocks.flatMap(({ lines, first }) => paragraphs('comment', lines, first))
}

/** A string, a template, or several of them added up. */
function isText(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return false
  return isText(node.left) || isText(node.right)
}

function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `VALUE${literal.text}`).join('')
  }
  return ts.isBinaryExpression(node) ? textOf(node.left) + textOf(node.right) : 'VALUE'
}

/** Returns the title of `test('…')`, `test.skip('…')` or `test.each([…])('…')`. */
function titleOf(node: ts.Node): ts.Node | undefined {
  if (!ts.isCallExpression(node)) return undefined
  const [title] = node.arguments
  if (title === undefined || !isText(title)) return undefined
  let callee: ts.Expression = node.expression
  if (ts.isCallExpression(callee)) callee = callee.expression
  if (ts.isPropertyAccessExpression(callee)) callee = callee.expression
  return ts.isIdentifier(callee) && ['test', 'it'].includes(callee.text) ? title : undefined
}

/** A name is reported where it is declared, not wherever it is used. */
function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node
  const named =
    ts.isVariableDeclaration(parent) ||
    ts.isFunctionDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isTypeAliasDeclaration(parent) ||
    ts.isInterfaceDeclaration(parent) ||
    ts.isBindingElement(parent)
  return named && parent.name === node
}
