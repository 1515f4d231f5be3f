import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const src = join(root, 'server/src')

/** Matches a declaration that a module exports. A re-export names the same thing again and is not a second one. */
const declaration = /^export (?:declare )?(?:async )?(?:type|interface|class|function|const|let) (\w+)/gm

const isTest = (file: string) => /\.(test|contract)\.ts$/.test(file)

function namesOf(text: string): string[] {
  return [...text.matchAll(declaration)].map(([, name]) => `${name}`)
}

/**
 * Returns `name: file, file` for each name that several modules declare. A type may share its schema's name in one
 * file.
 */
function namesDeclaredTwice(modules: ReadonlyMap<string, string>): string[] {
  const filesOf = new Map<string, Set<string>>()
  for (const [file, text] of modules) {
    for (const name of namesOf(text)) filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file))
  }
  return [...filesOf].filter(([, files]) => files.size > 1).map(([name, files]) => `${name}: ${[...files].join(', ')}`)
}

/** The same texts in another language, and the names that openapi-typescript chooses. */
const isOutOfScope = (path: string) => /\/(en|de)\.ts$|^client\/src\/api\.ts$|\/(node_modules|peers)\//.test(path)

/** Each part of the pages has texts of its own, and its code reads them by this name. */
const textsOfPart = /^useText: /

test.each([
  ['server/src', 200],
  ['client/src', 10],
  ['cli/src', 20],
  ['web/src', 150],
  ['web/docs', 5],
  ['bench', 30],
])('no two modules in %s export different things under one name', (folder, atLeast) => {
  const modules = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((path) => /\.tsx?$/.test(path) && !isTest(path) && !isOutOfScope(path))
    .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  expect(modules.length).toBeGreaterThan(atLeast)
  expect(namesDeclaredTwice(new Map(modules)).filter((name) => !textsOfPart.test(name))).toEqual([])
})

test('the law of distinct names finds a name that two modules export', () => {
  const modules = new Map([
    ['a.ts', 'export type Card = string\nexport async function readCard() {}\n'],
    ['b.ts', 'export const Card = 1\n'],
    ['c.ts', "export { readCard } from './a.ts'\n"],
  ])
  expect(namesDeclaredTwice(modules)).toEqual(['Card: a.ts, b.ts'])
})

test('the console has a name for each action of the audit log', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const actions = files.flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/\baction: '([a-z-]+\.[a-z-]+)'/g)].map(([, action]) => action),
  )
  expect(actions).toContain('user.details-read')
  for (const language of ['en', 'de']) {
    const texts = readFileSync(join(root, `web/src/console/partner/text/${language}.ts`), 'utf8')
    expect(actions.filter((action) => !texts.includes(`'${action}':`))).toEqual([])
  }
})
