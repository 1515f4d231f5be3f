import { readFileSync } from 'node:fs'
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'
import MarkdownIt, { type Token } from 'markdown-it'

/** Renders Markdown into HTML without inline styles or scripts, so that a strict content security policy holds. */

for (const [name, language] of Object.entries({ bash, go, json, python, typescript, yaml })) {
  highlighter.registerLanguage(name, language)
}
highlighter.registerAliases('sh', { languageName: 'bash' })
highlighter.registerAliases('ts', { languageName: 'typescript' })

export type Heading = { readonly level: number; readonly id: string; readonly text: string }
type Section = { readonly id: string; readonly heading: string; readonly text: string }
export type Rendered = {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  /** The text below each heading, for the search. */
  readonly sections: readonly Section[]
}

/** Lets a long name in HTML break after its separators. */
export const withBreaks = (html: string): string => html.replaceAll(/(?<=\w)([._,/])(?=\w)/g, '$1<wbr>')

type Image = { readonly file: string; readonly address: string }

type Resolvers = {
  /** Returns the address for a link of the document; null: the target is not part of the site. */
  readonly linkOf: (href: string) => string | null
  /** Returns the title of the page that a link leads to; null: the target is no page. */
  readonly titleOf: (href: string) => string | null
  /** Returns the address of the page about a word in code, such as an error code; null: there is none. */
  readonly pageOf: (code: string) => string | null
  /** Returns the file of an image and its address. */
  readonly imageOf: (source: string) => Image
}

const markdown = new MarkdownIt({
  linkify: false,
  highlight: (text, language) =>
    highlighter.getLanguage(language) ? highlighter.highlight(text, { language }).value : '',
})

function codeOf(text: string): string {
  const html = markdown.utils.escapeHtml(text)
  return `<code>${text.length > 16 ? withBreaks(html) : html}</code>`
}
markdown.renderer.rules['code_inline'] = (tokens, index) => codeOf(tokens[index]?.content ?? '')

export function renderMarkdown(source: string, resolvers: Resolvers): Rendered {
  // Comments are the markers of generated parts.
  const tokens = markdown.parse(source.replaceAll(/^<!--.*-->$/gm, ''), {})
  const headings = nameHeadings(tokens)
  labelCells(tokens)
  for (const { children } of tokens) resolveInline(children ?? [], resolvers)
  const [title, body] = withoutTitle(tokens)
  const html = markdown.renderer
    .render(body, markdown.options, {})
    .replaceAll(/<table[^>]*>/g, '<div class="table" tabindex="0">$&')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<p><svg', '<p tabindex="0"><svg')
  return { title, html, headings: headings.filter(({ level }) => level > 1), sections: sectionsOf(tokens, title) }
}

/** Gives each heading the id that GitHub gives it, so that links work in both places. */
function nameHeadings(tokens: readonly Token[]): Heading[] {
  const counts = new Map<string, number>()
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return []
    const text = textOf(tokens[index + 1])
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    const id = count === 0 ? slug : `${slug}-${count}`
    token.attrSet('id', id)
    return [{ level: Number(token.tag.slice(1)), id, text }]
  })
}

/**
 * Gives each cell of a table with three or more columns the name of its column. A phone shows the cells one below the
 * other. CSS that does so removes the roles of a table, so the elements state them.
 */
function labelCells(tokens: readonly Token[]): void {
  const roles: Readonly<Record<string, string>> = {
    ...{ table_open: 'table', thead_open: 'rowgroup', tbody_open: 'rowgroup', tr_open: 'row' },
    ...{ th_open: 'columnheader', td_open: 'cell' },
  }
  for (const [start, table] of tokens.entries()) {
    if (table.type !== 'table_open') continue
    const cells = tokens.slice(
      start,
      tokens.findIndex(({ type }, i) => i > start && type === 'table_close'),
    )
    const names = cells.flatMap(({ type }, i) => (type === 'th_open' ? [textOf(cells[i + 1])] : []))
    if (names.length < 3) continue
    table.attrSet('class', 'stacked')
    let column = 0
    for (const cell of cells) {
      if (cell.type === 'tr_open') column = 0
      if (cell.type === 'td_open') cell.attrSet('data-label', names[column++] ?? '')
      const role = roles[cell.type]
      if (role !== undefined) cell.attrSet('role', role)
    }
  }
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('')
}

/** Takes the first heading away, because the page shows it in its own place. */
function withoutTitle(tokens: Token[]): [title: string, body: Token[]] {
  const first = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1')
  if (first === -1) throw new Error('a document has no title')
  return [textOf(tokens[first + 1]), tokens.toSpliced(first, 3)]
}

function resolveInline(tokens: Token[], { linkOf, titleOf, pageOf, imageOf }: Resolvers): void {
  let isInLink = false
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'link_open') {
      isInLink = true
      const target = String(token.attrGet('href'))
      const href = linkOf(target)
      // In a file, the name of another file is good link text. On a page, the title of that document is better.
      const name = tokens[index + 1]
      if (name?.type === 'text' && /\.md$/.test(name.content)) name.content = titleOf(target) ?? name.content
      if (href === null) token.tag = 'span'
      token.attrs = href === null ? [] : [['href', href]]
      const close = tokens.slice(index).find(({ type }) => type === 'link_close')
      if (close) close.tag = token.tag
    } else if (token.type === 'link_close') {
      isInLink = false
    } else if (token.type === 'image') {
      token.type = 'html_inline'
      token.content = pictureOf(imageOf(String(token.attrGet('src'))), token.content)
    } else if (token.type === 'code_inline' && !isInLink) {
      const page = pageOf(token.content)
      if (page === null) continue
      token.type = 'html_inline'
      token.content = `<a href="${page}">${codeOf(token.content)}</a>`
    }
  }
}

/** Puts a diagram into the page itself, so that it takes the colors of the page. A screenshot stays a file. */
function pictureOf({ file, address }: Image, description: string): string {
  const label = markdown.utils.escapeHtml(description)
  if (file.endsWith('.png')) {
    // The size is in the header of the file. With it, the text does not jump when the image arrives.
    const header = readFileSync(file)
    const [width, height] = [header.readUInt32BE(16), header.readUInt32BE(20)]
    return `<img class="screenshot" src="${address}" alt="${label}" width="${width}" height="${height}" loading="lazy">`
  }
  return readFileSync(file, 'utf8').trim().replace('<svg', `<svg class="diagram" role="img" aria-label="${label}"`)
}

function sectionsOf(tokens: readonly Token[], title: string): Section[] {
  const sections = [{ id: '', heading: title, text: '' }]
  tokens.forEach((token, index) => {
    const last = sections.at(-1)
    if (token.type === 'heading_open' && token.tag !== 'h1') {
      sections.push({ id: String(token.attrGet('id')), heading: textOf(tokens[index + 1]), text: '' })
    } else if (last && tokens[index - 1]?.type !== 'heading_open') {
      if (token.type === 'inline') last.text += `${textOf(token)} `
      if (token.type === 'fence') last.text += `${token.content} `
    }
  })
  return sections
}
