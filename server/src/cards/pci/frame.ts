import { buildPage, type Page } from '../../platform/http/pages.ts'
import type { Shown } from './pci.ts'

/** The pages of the secure frame. They load no other resources, and no script contains card data. */
const style = `
  :root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif }
  body { margin: 0; padding: 20px 24px }
  dl { display: grid; grid-template-columns: auto auto; justify-content: start; gap: 14px 40px; margin: 0 }
  dl[hidden] { display: none }
  .wide { grid-column: 1 / -1 }
  dt { font-size: 12px; opacity: .7 }
  dd { margin: 2px 0 0; font: 600 22px/1.3 ui-monospace, monospace; user-select: all }
  dd span { margin-right: .5em }
  p { margin: 0 }
  p + p { margin-top: 6px; font-size: 12px; opacity: .7 }
  button { margin-top: 12px; padding: 8px 14px; border: 1px solid; border-radius: 8px; background: none; color: inherit; font: inherit; cursor: pointer }
`

/** The time after which the page hides the card data. A button shows them again. */
const hiddenAfterSeconds = 30
/** The time after which the page removes the card data. */
export const shownSeconds = 120

/**
 * Sends a message to the embedding page only: the browser drops it if that page has another origin. The parent's origin
 * is in `ancestorOrigins`, else in the referrer, which a browser sends only with the first page of the frame.
 */
const messages = `
const embedder = location.ancestorOrigins?.[0] ?? (document.body.dataset.embedder || originOf(document.referrer))
function originOf(url) { return URL.canParse(url) ? new URL(url).origin : '' }
function send(message) {
  if (parent !== window && /^https?:/.test(embedder)) parent.postMessage({ source: 'purser-card', ...message }, embedder)
}
new ResizeObserver(() => send({ type: 'height', height: document.body.offsetHeight })).observe(document.body)
`

/** Takes the token from the URL fragment, which browsers never send to a server, and removes it from the URL. */
const tokenScript = `${messages}
const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
if (token === '') {
  document.querySelector('p').hidden = false
  send({ type: 'ended' })
} else {
  const [form] = document.forms
  form.token.value = token
  form.embedder.value = embedder
  form.submit()
}
`

const cardScript = `${messages}
const [data] = document.getElementsByTagName('dl')
const [button] = document.getElementsByTagName('button')
function show() {
  data.hidden = false
  button.hidden = true
  setTimeout(hide, ${hiddenAfterSeconds} * 1000)
}
function hide() {
  data.hidden = true
  button.hidden = false
  send({ type: 'hidden' })
}
button.addEventListener('click', show)
show()
send({ type: 'ready' })
`

const errorScript = `${messages}
send({ type: 'refused', code: document.body.dataset.code })
`

/** Submits the token as a form, so that no script reads the response. */
export const tokenPage = buildPage({
  title: 'Card',
  style,
  script: tokenScript,
  body: `<form method="post" hidden><input name="token"><input name="embedder"></form><p hidden>This card view has ended.</p>
<noscript>This frame needs JavaScript.</noscript>`,
})

export function cardPage(shown: Shown, embedder: string): Page {
  const again = '<button type="button" hidden>Show again</button>'
  const parts = { style, script: cardScript, data: { embedder } }
  if ('pin' in shown) {
    const pin = field(`PIN of the card ending in ${shown.last4}`, shown.pin)
    return buildPage({ ...parts, title: 'PIN', body: `<dl>${pin}</dl>${again}` })
  }
  const { number, expiryMonth, expiryYear, securityCode } = shown.details
  const expiry = `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear % 100).padStart(2, '0')}`
  // CSS separates the groups of four, so that the copied text is the bare number.
  const groups = (number.match(/.{1,4}/g) ?? []).map((digits) => `<span>${digits}</span>`).join('')
  const fields = [field('Card number', groups, 'wide'), field('Expiry', expiry), field('Security code', securityCode)]
  return buildPage({ ...parts, title: 'Card', body: `<dl>${fields.join('')}</dl>${again}` })
}

function field(name: string, value: string, kind = ''): string {
  return `<div class="${kind}"><dt>${name}</dt><dd>${value}</dd></div>`
}

/** Shows an error message and its code for support. Both come from our own tables, so they need no escaping. */
export function errorPage(code: string, message: string, embedder: string): Page {
  const text = code === 'VALIDATION' ? 'The request is not valid.' : message
  return buildPage({
    title: 'Card',
    style,
    script: errorScript,
    data: { code, embedder },
    body: `<p>${text}</p><p>${code}</p>`,
  })
}
