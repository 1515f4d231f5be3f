import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import MiniSearch from 'minisearch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildDocs } from '../../../web/docs/build.ts'
import { operations, referenceOf } from '../../../web/docs/openapi.ts'
import { searchOptions } from '../../../web/docs/search-options.ts'
import { responseCodes } from '../../src/cards/gateway/rules.ts'
import { eventTypes } from '../../src/events/rules.ts'
import { refusals } from '../../src/lib/errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'purser-docs-'))
const root = join(import.meta.dirname, '../../..')
beforeAll(() => buildDocs(folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const files = () => readdirSync(folder, { recursive: true, encoding: 'utf8' })
const htmlFiles = () => files().filter((file) => file.endsWith('.html'))
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const valuesOf = (html: string, attribute: string) =>
  [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value.replaceAll('&amp;', '&'))

const anchorsOfReference = new Set(operations.map(referenceOf))

/** Returns the links of a page, a twin or a list whose target or anchor does not exist. */
function deadLinks(file: string, links: readonly string[]): string[] {
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const place = normalize(path === '' ? file : join(dirname(file), path)).replace(/\/$/, '')
    const target = existsSync(join(folder, place, 'index.html')) ? join(place, 'index.html') : place
    if (!existsSync(join(folder, target))) return true
    if (anchor === undefined) return false
    // The library of the API reference makes the anchors of operations in the browser.
    if (anchorsOfReference.has(`${dirname(target)}/#${decodeURIComponent(anchor)}`)) return false
    // A twin in Markdown has the headings of its page.
    const page = target.endsWith('.md') ? target.replace(/(^index)?\.md$/, '/index.html') : target
    return !valuesOf(read(page), 'id').includes(anchor)
  })
}

test('every link of a page leads to a page and an anchor that exist', () => {
  const dead = htmlFiles().flatMap((file) => {
    const html = read(file)
    return deadLinks(file, [...valuesOf(html, 'href'), ...valuesOf(html, 'src')]).map((link) => `${file}: ${link}`)
  })
  expect(dead).toEqual([])
  const wrong = [
    'nothing/',
    '#nothing',
    'quickstart.md#nothing',
    'index.md#nothing',
    'reference/#tag/cards/GET/nothing',
  ]
  expect(deadLinks('index.html', wrong)).toEqual(wrong)
})

test('every link of a twin in Markdown and of llms.txt leads to a file that exists', () => {
  const texts = files().filter((file) => /\.(md|txt)$/.test(file))
  const dead = texts.flatMap((file) => {
    const links = [
      ...read(file)
        .replaceAll(/^```.*?^```/gms, '')
        .matchAll(/(?<!!)\]\(([^)\s]+)\)/g),
    ].map(([, link = '']) => link)
    return deadLinks(file, links).map((link) => `${file}: ${link}`)
  })
  expect(dead).toEqual([])
})

test('every page has a title and a twin in Markdown', () => {
  expect(htmlFiles().length).toBeGreaterThan(200)
  for (const file of htmlFiles()) {
    const twin = file === 'index.html' ? 'index.md' : `${dirname(file)}.md`
    expect(read(twin), twin).toMatch(/^# \S/)
    expect(read(file), file).toMatch(/<h1[^>]*>[^<]/)
    const links = valuesOf(read(file), 'href').map((href) => normalize(join(dirname(file), href)))
    expect(links, file).toContain(twin)
  }
})

test('the twin of the API reference has every operation, with its credentials and its errors', () => {
  const twin = read('reference.md')
  expect(operations.filter(({ method, path }) => !twin.includes(`| [\`${method} ${path}\`](`))).toEqual([])
  const row = (operation: string) => twin.split('\n').find((line) => line.includes(`\`${operation}\``)) ?? ''
  expect(row('POST /cards/virtual')).toMatch(
    / Create a virtual card \| access token \| .*\[CARD_LIMIT_REACHED\].*\[RATE_LIMITED\]/,
  )
  expect(row('GET /operator/users/{userId}')).toContain('| session of an operator, permission `users:read` |')
  expect(row('GET /health/ready')).toContain('| none |')
  expect(read('llms.txt')).toContain('(reference.md)')
})

test('every error code, decline code and event type has a page', () => {
  const rows = [
    ...Object.keys(refusals).map((code) => `errors/${code}`),
    ...Object.keys(responseCodes).map((code) => `declines/${code}`),
    ...eventTypes.map((type) => `events/${type}`),
  ]
  expect(rows.filter((row) => !existsSync(join(folder, row, 'index.html')))).toEqual([])
  expect(read('errors/CARD_NOT_FOUND.md')).toContain('`GET /cards/{cardId}`')
})

test('every document in docs/ and every scenario has a page', () => {
  const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => file.replace('.md', ''))
  const scenarios = readdirSync(join(root, 'cli/scenarios')).map((file) => `recipes/${file.replace('.json', '')}`)
  expect([...documents, ...scenarios].filter((page) => !existsSync(join(folder, page, 'index.html')))).toEqual([])
  expect(scenarios.length).toBeGreaterThanOrEqual(12)
})

test('the example of an event has the type and the status of that event', () => {
  const payload = (type: string) => JSON.parse(/```json\n(.*?)```/s.exec(read(`events/${type}.md`))?.[1] ?? '')
  expect(payload('card.activated')).toMatchObject({ type: 'card.activated', data: { status: 'active' } })
  expect(payload('deposit.rejected')).toMatchObject({ type: 'deposit.rejected', data: { status: 'rejected' } })
  expect(payload('kyc.profile.not_started')).toMatchObject({ data: { status: 'notStarted' } })
  for (const type of eventTypes) expect(payload(type).type).toBe(type)
})

test('the pages contain no script, style or handler of their own', () => {
  const inline = htmlFiles().filter((file) => /<script(?![^>]* src=)|<style| style=| on\w+=/.test(read(file)))
  expect(inline).toEqual([])
})

test('the search finds pages by words, by names and by prefixes', () => {
  const [file = ''] = files().filter((name) => /search-.*\.json$/.test(name))
  const index = MiniSearch.loadJSON(read(file), searchOptions)
  const find = (words: string) => index.search(words).map(({ id }) => id)
  expect(find('insufficient balance')[0]).toBe('declines/810/')
  expect(find('CARD_NOT_FOUND')[0]).toBe('errors/CARD_NOT_FOUND/')
  expect(find('card.created')[0]).toBe('events/card.created/')
  expect(find('create a virtual card')).toContain('reference/#users/tag/cards/POST/cards/virtual')
  expect(find('idempot').length).toBeGreaterThan(0)
  expect(find('xyzzyq')).toEqual([])
})
