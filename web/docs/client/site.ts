import MiniSearch from 'minisearch'
import { copyText } from '../../src/lib/clipboard.ts'
import { keep, recall } from '../../src/lib/storage.ts'
import { type Entry, searchOptions } from '../search-options.ts'
import './site.css'

/** The script of every page: colors, copying, and search. The pages can be read without it. */

function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new TypeError(`the page has no ${id}`)
  return found
}

// Colors. The system decides until the reader does.
const root = document.documentElement
const stored = recall('theme')
if (stored === 'light' || stored === 'dark') root.dataset['theme'] = stored
element('theme', HTMLButtonElement).addEventListener('click', () => {
  const now = root.dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  const next = now === 'dark' ? 'light' : 'dark'
  root.dataset['theme'] = next
  keep('theme', next)
  document.dispatchEvent(new CustomEvent('purser:theme', { detail: next }))
})

// The list of pages is open where there is room for it.
const side = document.querySelector<HTMLDetailsElement>('details.page-list')
const wide = matchMedia('(min-width: 60rem)')
const fit = () => {
  if (side) side.open = wide.matches
}
wide.addEventListener('change', fit)
fit()
side?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
if (location.hash === '') scrollTo(0, 0)

// Copying
for (const block of document.querySelectorAll('main pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    if (!(await copyText(block.querySelector('code')?.textContent ?? ''))) return
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  const frame = document.createElement('div')
  frame.className = 'code'
  block.replaceWith(frame)
  frame.append(block, button)
}

// Search
const dialog = element('search', HTMLDialogElement)
const query = element('query', HTMLInputElement)
const state = element('search-state', HTMLParagraphElement)
const results = element('results', HTMLUListElement)
const base = document.body.dataset['base'] ?? './'
let index: Promise<MiniSearch<Entry>> | null = null

async function loadIndex(): Promise<MiniSearch<Entry>> {
  const response = await fetch(document.body.dataset['search'] ?? '')
  if (!response.ok) throw new Error(`the index cannot be loaded (${response.status})`)
  return MiniSearch.loadJSONAsync<Entry>(await response.text(), searchOptions)
}

function openSearch(): void {
  if (dialog.open) return
  dialog.showModal()
  query.select()
  index ??= loadIndex()
  index.catch(() => {
    index = null
    state.textContent = 'The search cannot be loaded. Try again.'
  })
}

async function showResults(): Promise<void> {
  const words = query.value.trim()
  if (index === null) return
  const found = words === '' ? [] : (await index).search(words).slice(0, 12)
  if (words !== query.value.trim()) return
  state.textContent = words === '' ? '' : found.length === 0 ? `Nothing found for "${words}".` : ''
  results.replaceChildren(
    ...found.map(({ id, title, heading, excerpt }) => {
      const link = document.createElement('a')
      link.href = `${base}${id}`
      const name = document.createElement('strong')
      name.textContent = heading === '' ? title : `${title}: ${heading}`
      const text = document.createElement('span')
      text.textContent = excerpt
      link.append(name, text)
      const item = document.createElement('li')
      item.append(link)
      return item
    }),
  )
}

element('open-search', HTMLButtonElement).addEventListener('click', openSearch)
query.addEventListener('input', () => void showResults())
dialog.addEventListener('click', ({ target }) => {
  if (target === dialog || (target instanceof Element && target.closest('a') !== null)) dialog.close()
})
dialog.addEventListener('keydown', (event) => {
  const links = [...results.querySelectorAll('a')]
  const place = links.indexOf(document.activeElement as HTMLAnchorElement)
  if (event.key === 'Enter' && place === -1 && links[0]) links[0].click()
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  const next = place + (event.key === 'ArrowDown' ? 1 : -1)
  ;(links[next] ?? query).focus()
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, [contenteditable]')
  if (event.key !== '/' || isTyping) return
  event.preventDefault()
  openSearch()
})
