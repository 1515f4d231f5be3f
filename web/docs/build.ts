import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import reference from '@scalar/fastify-api-reference'
import tailwind from '@tailwindcss/vite'
import Fastify from 'fastify'
import MiniSearch from 'minisearch'
import { build, type Rolldown } from 'vite'
import { thirdPartyLicenses } from '../../server/scripts/licenses.ts'
import { eventTypes } from '../../server/src/events/rules.ts'
import { catalog, pageOfError, pageOfEvent } from './catalog.ts'
import { type Assets, baseOf, renderPage, renderReference } from './layout.ts'
import { type Rendered, renderMarkdown } from './markdown.ts'
import { operations, referenceOf } from './openapi.ts'
import { referenceInMarkdown } from './reference.ts'
import { searchOptions } from './search-options.ts'
import { documents, type Page, root } from './source.ts'

/**
 * Builds the documentation into a folder. Each document and each row of a catalog becomes an HTML page with a twin in
 * Markdown. The folder also has the index of the search, the API reference and llms.txt. All links are relative.
 */
export async function buildDocs(folder: string): Promise<void> {
  const pages = [...documents(), ...catalog()]
  const paths = new Map(pages.map((page) => [page.source ?? page.path, page]))
  const known = new Set(pages.map(({ path }) => path))
  const rendered = pages.map((page) => ({ ...page, ...render(page, paths, known) }))

  const assets = await buildAssets(folder, rendered)
  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  await Promise.all(
    rendered.flatMap((page) => [
      write(`${page.path}index.html`, renderPage(page, page, rendered, assets)),
      write(`${page.path === '' ? 'index' : page.path.replace(/\/$/, '')}.md`, twinOf(page, paths)),
    ]),
  )
  await write('reference/index.html', renderReference(assets))
  await write('reference.md', referenceInMarkdown())
  await write('llms.txt', indexForModels(rendered))
  // The pages contain the diagrams, but their twins in Markdown link to them.
  for (const file of globSync('docs/**/*.{svg,png}', { cwd: root })) {
    await cp(join(root, file), join(folder, file.slice('docs/'.length)))
  }
  for (const name of ['openapi.json', 'openapi.operator.json']) {
    await cp(join(root, name), join(folder, 'reference', name))
  }
}

type Pages = ReadonlyMap<string, Page>

function render(page: Page, pages: Pages, known: ReadonlySet<string>): Rendered {
  const base = baseOf(page.path)
  return renderMarkdown(page.markdown, {
    linkOf: (href) => {
      const target = addressOf(page, href, pages)
      return target === null || /^\w+:|^#/.test(target) ? target : `${base}${target}`
    },
    titleOf: (href) => {
      const [path = ''] = href.split('#')
      return /^# (.*)$/m.exec(targetOf(page, path, pages)?.markdown ?? '')?.[1] ?? null
    },
    pageOf: (code) => {
      const found = [pageOfError(code), pageOfEvent(code)].find((path) => known.has(path) && path !== page.path)
      return found === undefined ? null : `${base}${found}`
    },
    imageOf: (source) => {
      const file = posix.join(posix.dirname(page.source ?? ''), source)
      return { file: join(root, file), address: `${base}${file.replace(/^docs\//, '')}` }
    },
  })
}

/** Returns the address below /docs/ for a link of a page; null: the target is a file that is not part of the site. */
function addressOf(page: Page, href: string, pages: Pages): string | null {
  if (/^\w+:|^#/.test(href) || page.source === null) return href
  const [path = '', anchor] = href.split('#')
  const target = targetOf(page, path, pages)
  if (target === undefined) return null
  return `${target.path}${anchor === undefined ? '' : `#${anchor}`}`
}

/** Returns the Markdown of a page with links to the twins of other pages. */
function twinOf(page: Page, pages: Pages): string {
  const base = baseOf(page.path).replace('../', '') || './'
  const isFolder = page.path !== ''
  return page.markdown.replaceAll(/(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g, (_link, text: string, href: string) => {
    const target = addressOf(page, href, pages)
    if (target === null) return text
    if (/^\w+:|^#/.test(target)) return `[${text}](${target})`
    const [path = '', anchor] = target.split('#')
    const isPage = !path.startsWith('reference/')
    const file = isPage ? `${path === '' ? 'index' : path.replace(/\/$/, '')}.md` : path
    return `[${text}](${isFolder ? base : './'}${file}${anchor === undefined ? '' : `#${anchor}`})`
  })
}

function targetOf(page: Page, path: string, pages: Pages): Page | undefined {
  return pages.get(posix.normalize(posix.join(posix.dirname(page.source ?? ''), path)))
}

/** Builds the script and style of the pages, the index of the search, and the API reference. */
async function buildAssets(folder: string, rendered: readonly (Page & Rendered)[]): Promise<Assets> {
  const source = (name: string) => join(import.meta.dirname, 'client', name)
  const built = await build({
    root: join(root, 'web'),
    configFile: false,
    base: './',
    logLevel: 'warn',
    plugins: [tailwind(), thirdPartyLicenses([join(root, 'node_modules/@scalar/fastify-api-reference')])],
    resolve: { alias: { '@purser/client': join(root, 'client/src/index.ts') } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rollupOptions: { input: { site: source('site.ts'), reference: source('reference.ts') } },
    },
  })
  const { output } = Array.isArray(built) ? (built[0] as Rolldown.RolldownOutput) : (built as Rolldown.RolldownOutput)
  const fileOf = (pattern: RegExp) => {
    const found = output.find(({ fileName }) => pattern.test(fileName))
    if (found === undefined) throw new Error(`the build made no file like ${pattern}`)
    return found.fileName
  }
  const asset = async (name: string, extension: string, content: string) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8)
    await writeFile(join(folder, 'assets', `${name}-${hash}.${extension}`), content)
    return `assets/${name}-${hash}.${extension}`
  }
  return {
    style: fileOf(/site-.*\.css$/),
    script: fileOf(/site-.*\.js$/),
    reference: fileOf(/reference-.*\.js$/),
    icon: await asset('icon', 'svg', await readFile(join(root, 'web/src/ui/icon.svg'), 'utf8')),
    scalar: await asset('scalar', 'js', await scalarScript()),
    search: await asset('search', 'json', searchIndex(rendered)),
  }
}

/** Returns the script of the API reference. The package does not export it, so a temporary server returns it. */
async function scalarScript(): Promise<string> {
  const app = Fastify()
  await app.register(reference, { routePrefix: '/reference', configuration: { url: '/openapi.json' } })
  const { body } = await app.inject('/reference/js/scalar.js')
  await app.close()
  return body.replace(/\n\/\/# sourceMappingURL=.*$/, '')
}

function searchIndex(rendered: readonly (Page & Rendered)[]): string {
  const index = new MiniSearch(searchOptions)
  const sections = rendered.flatMap(({ path, title, sections }) =>
    sections.map(({ id, heading, text }) => ({
      id: `${path}${id === '' ? '' : `#${id}`}`,
      title,
      heading: heading === title ? '' : heading,
      text,
      excerpt: text.slice(0, 140).trim(),
    })),
  )
  const calls = operations.map((operation) => ({
    id: referenceOf(operation),
    title: `${operation.method} ${operation.path}`,
    heading: operation.operationId,
    text: `${operation.summary} ${operation.description ?? ''}`,
    excerpt: operation.summary,
  }))
  index.addAll([...new Map([...sections, ...calls].map((entry) => [entry.id, entry])).values()])
  return JSON.stringify(index)
}

/** The index of the pages for language models (https://llmstxt.org). */
function indexForModels(rendered: readonly (Page & Rendered)[]): string {
  const lines = rendered
    .filter(({ isListed }) => isListed)
    .map(({ path, title }) => `- [${title}](${path === '' ? 'index' : path.replace(/\/$/, '')}.md)`)
  return `# Purser

> Purser is a self-hosted user account service for stablecoin card programmes: sign-in with a wallet, virtual cards, deposits and
> withdrawals on chain, balances and one statement. Links are relative to this file.

- [OpenAPI document of users, partners and card processors](reference/openapi.json)
- [OpenAPI document of operators](reference/openapi.operator.json)
- [API reference](reference.md)
${lines.join('\n')}

The page of an error code is errors/CODE.md, of a decline code declines/CODE.md, and of an event events/TYPE.md, such as
events/${eventTypes[0]}.md.
`
}
