import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A page of the site, as Markdown. */
export type Page = {
  /** The address below /docs/, such as `guides/sign-in/`. */
  readonly path: string
  /** The document in the repository, to which its links are relative; null: the page is generated. */
  readonly source: string | null
  readonly markdown: string
  readonly section: SectionName
  /** Whether the list of pages names it. Pages of a catalog are reached from their table. */
  readonly isListed: boolean
}

export const root = join(import.meta.dirname, '../..')

const sections = {
  Start: ['docs/README.md', 'docs/quickstart.md'],
  Guides: [
    'docs/guides/sign-in.md',
    'docs/guides/first-card.md',
    'docs/guides/deposits.md',
    'docs/guides/withdrawals.md',
    'docs/webhooks.md',
    'docs/partners.md',
    'docs/sandbox.md',
    'docs/guides/going-live.md',
    'docs/guides/operating.md',
  ],
  Tools: ['client/README.md', 'docs/cli.md'],
  Concepts: [
    'docs/concepts/ledger.md',
    'docs/concepts/fold.md',
    'docs/concepts/finality.md',
    'docs/concepts/idempotency.md',
    'ARCHITECTURE.md',
    'docs/glossary.md',
  ],
  Reference: ['docs/errors.md', 'docs/issuer-gateway.md', 'docs/callbacks.md'],
  Operations: ['docs/operations.md', 'deploy/README.md'],
  Project: ['docs/comparison.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/proof.md'],
} as const satisfies Record<string, readonly string[]>
export type SectionName = keyof typeof sections

/** In the order of the list of pages. */
export const sectionNames = Object.keys(sections) as SectionName[]

/** The addresses of README files, which are those of their folders. */
const addresses: Readonly<Record<string, string>> = {
  'docs/README.md': '',
  'client/README.md': 'client/',
  'deploy/README.md': 'deploy/',
}

/**
 * Returns the documents of the repository. A new document in docs/ needs no entry: a decision record belongs to
 * Concepts, and every other document to Operations.
 */
export function documents(): Page[] {
  const named: readonly string[] = Object.values<readonly string[]>(sections).flat()
  const others = globSync('docs/**/*.md', { cwd: root }).filter((source) => !named.includes(source))
  const decisions = others.filter((source) => source.startsWith('docs/decisions/')).sort()
  const rest = others.filter((source) => !decisions.includes(source)).sort()
  const pagesOf = (section: SectionName, isListed: boolean, sources: readonly string[]) =>
    sources.map((source) => ({
      path:
        addresses[source] ??
        `${source
          .replace(/^docs\//, '')
          .replace(/\.md$/, '')
          .toLowerCase()}/`,
      source,
      markdown: readFileSync(join(root, source), 'utf8'),
      section,
      isListed,
    }))
  return [
    ...sectionNames.flatMap((section) => [
      ...pagesOf(section, true, sections[section]),
      ...(section === 'Operations' ? pagesOf(section, true, rest) : []),
    ]),
    ...pagesOf('Concepts', false, decisions),
  ]
}
