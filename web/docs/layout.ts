import { type Heading, withBreaks } from './markdown.ts'
import { type Page, type SectionName, sectionNames } from './source.ts'

/** The files that every page loads. Their names contain the hash of their content. */
export type Assets = {
  readonly style: string
  readonly script: string
  readonly reference: string
  readonly scalar: string
  readonly icon: string
  readonly search: string
}

type Titled = Page & { readonly title: string }

type Content = {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Returns the relative address of the folder /docs/, so that the site works at any address. */
export const baseOf = (path: string): string => '../'.repeat(path.split('/').length - 1) || './'

export function renderPage(page: Page, content: Content, pages: readonly Titled[], assets: Assets): string {
  const base = baseOf(page.path)
  const listed = pages.filter(({ isListed }) => isListed)
  const index = listed.findIndex(({ path }) => path === page.path)
  const twin = `${base}${page.path === '' ? 'index' : page.path.replace(/\/$/, '')}.md`
  const short = content.headings.filter(({ level }) => level === 2)
  const contents =
    short.length < 2
      ? ''
      : `<nav class="page-contents" aria-label="On this page"><h2>On this page</h2><ul>${short
          .map(({ id, text }) => `<li><a href="#${id}">${escapeText(text)}</a></li>`)
          .join('')}</ul></nav>`
  const main = `<div class="columns">${sideNav(page, listed, base)}<main id="main" class="text">
<p class="section">${page.section}</p>
<h1>${withBreaks(escapeText(content.title))}</h1>
${content.html}
<footer>${neighbors(listed, index, base)}<p><a href="${twin}">This page as Markdown</a></p></footer>
</main>${contents}</div>`
  return documentOf(page.path, `${content.title} · Purser`, main, assets, [assets.script], twin)
}

/** The page of the API reference. The service writes its facts into the element `meta`. */
export function renderReference(assets: Assets): string {
  const main = `<div class="reference-bar">
<p id="sign-in-state">Send requests from this page with your own credentials.</p>
<button type="button" id="sign-in" hidden>Sign in with a test wallet</button>
</div><main id="main"><h1 class="visually-hidden">API reference</h1><div id="reference"></div></main>`
  const scripts = [assets.script, assets.scalar, assets.reference]
  return documentOf('reference/', 'API reference · Purser', main, assets, scripts, '../reference.md')
}

function documentOf(
  path: string,
  title: string,
  main: string,
  assets: Assets,
  scripts: readonly string[],
  twin: string,
): string {
  const base = baseOf(path)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="purser" content="{}">
<title>${escapeText(title)}</title>
<link rel="icon" href="${base}${assets.icon}">
<link rel="stylesheet" href="${base}${assets.style}">
<link rel="alternate" type="text/markdown" href="${twin}">
${scripts
  .map((script) => `<script ${script === assets.scalar ? 'defer' : 'type="module"'} src="${base}${script}"></script>`)
  .join('\n')}
</head>
<body data-base="${base}" data-search="${base}${assets.search}">
<a class="skip" href="#main">Skip to the text</a>
<header class="site-header">
<a class="brand" href="${base}"><img src="${base}${assets.icon}" alt="" width="24" height="24">Purser</a>
<button type="button" id="open-search" aria-keyshortcuts="/"><span>Search</span><kbd>/</kbd></button>
<nav aria-label="Site"><a href="${base}reference/">API</a><button type="button" id="theme" aria-label="Switch between light and dark"></button></nav>
</header>
${main}
<dialog id="search" class="search-dialog" aria-label="Search">
<input type="search" id="query" placeholder="Search the documentation" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<p id="search-state" role="status"></p>
<ul id="results"></ul>
</dialog>
</body>
</html>
`
}

function sideNav(page: Page, listed: readonly Titled[], base: string): string {
  const sections = sectionNames
    .map((name) => sectionNav(name, page, listed, base))
    .filter((section) => section !== '')
    .join('')
  return `<details class="page-list"><summary>All pages</summary><nav aria-label="All pages">${sections}</nav></details>`
}

function sectionNav(name: SectionName, page: Page, listed: readonly Titled[], base: string): string {
  const links = listed.filter(({ section }) => section === name).map(({ path, title }) => ({ path, title }))
  if (name === 'Reference') links.unshift({ path: 'reference/', title: 'API reference' })
  if (links.length === 0) return ''
  const items = links.map(({ path, title }) => {
    const isHere = path === page.path || (path === listedAbove(page) && !page.isListed)
    return `<li><a href="${base}${path}"${isHere ? ' aria-current="page"' : ''}>${escapeText(title)}</a></li>`
  })
  return `<h2>${name}</h2><ul>${items.join('')}</ul>`
}

/** The table that leads to a page of a catalog. */
const listedAbove = ({ path }: Page): string => `${path.split('/')[0]}/`

function neighbors(listed: readonly Titled[], index: number, base: string): string {
  const link = (page: Titled | undefined, label: string) =>
    page === undefined ? '' : `<a href="${base}${page.path}"><span>${label}</span>${escapeText(page.title)}</a>`
  if (index === -1) return ''
  return `<nav class="neighbors" aria-label="Neighboring pages">${link(listed[index - 1], 'Previous')}${link(listed[index + 1], 'Next')}</nav>`
}
