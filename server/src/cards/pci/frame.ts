import { buildPage, type Language, type Page } from '../../platform/http/pages.ts'
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

type Texts = {
  readonly card: string
  readonly number: string
  readonly expiry: string
  readonly securityCode: string
  readonly pin: (last4: string) => string
  readonly again: string
  readonly ended: string
  readonly needsScript: string
  /** Returns the sentence for an error. `message` is the one of the API, which is in English. */
  readonly error: (code: string, message: string) => string
}

const german: Readonly<Record<string, string>> = {
  VIEW_REFUSED: 'Diese Kartenansicht ist unbekannt, abgelaufen oder schon geöffnet. Fordern Sie eine neue an.',
  INVALID_CARD_STATUS: 'Der Status der Karte lässt das nicht zu.',
  RATE_LIMITED: 'Zu viele Anfragen. Warten Sie einen Moment.',
}

const texts: Readonly<Record<Language, Texts>> = {
  en: {
    card: 'Card',
    number: 'Card number',
    expiry: 'Expiry',
    securityCode: 'Security code',
    pin: (last4) => `PIN of the card ending in ${last4}`,
    again: 'Show again',
    ended: 'This card view has ended.',
    needsScript: 'This frame needs JavaScript.',
    error: (code, message) => (code === 'VALIDATION' ? 'The request is not valid.' : message),
  },
  de: {
    card: 'Karte',
    number: 'Kartennummer',
    expiry: 'Gültig bis',
    securityCode: 'Prüfziffer',
    pin: (last4) => `PIN der Karte mit der Endung ${last4}`,
    again: 'Erneut anzeigen',
    ended: 'Diese Kartenansicht ist beendet.',
    needsScript: 'Dieser Rahmen braucht JavaScript.',
    error: (code) => german[code] ?? 'Die Kartendaten können nicht angezeigt werden. Versuchen Sie es später erneut.',
  },
}

/** The time after which the page hides the card data. A button shows it again. */
const hiddenAfterSeconds = 30
/** The time after which the page removes the card data. */
export const shownSeconds = 120

/**
 * Sends a message to the embedding page only: the browser drops it if that page has another origin. The parent's origin
 * is in `ancestorOrigins`, else in the referrer. Browsers send the parent as the referrer of the first page only, so
 * that page passes the origin on.
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
history.replaceState(null, '', location.pathname + location.search)
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

/** Submits the token as a form, so that no script reads the response. Without a token, says that the view has ended. */
export function tokenPage(language: Language, embedder: string): Page {
  const { card, ended, needsScript } = texts[language]
  return buildPage({
    language,
    title: card,
    style,
    script: tokenScript,
    data: { embedder },
    body: `<form method="post" hidden><input name="token"><input name="embedder"></form><p hidden>${ended}</p>
<noscript>${needsScript}</noscript>`,
  })
}

export function cardPage(language: Language, shown: Shown, embedder: string): Page {
  const t = texts[language]
  const again = `<button type="button" hidden>${t.again}</button>`
  const parts = { language, style, script: cardScript, data: { embedder } }
  if ('pin' in shown) {
    const pin = field(t.pin(shown.last4), shown.pin)
    return buildPage({ ...parts, title: 'PIN', body: `<dl>${pin}</dl>${again}` })
  }
  const { number, expiryMonth, expiryYear, securityCode } = shown.details
  const expiry = `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear % 100).padStart(2, '0')}`
  // CSS separates the groups of four, so that the copied text is the bare number.
  const groups = (number.match(/.{1,4}/g) ?? []).map((digits) => `<span>${digits}</span>`).join('')
  const fields = [field(t.number, groups, 'wide'), field(t.expiry, expiry), field(t.securityCode, securityCode)]
  return buildPage({ ...parts, title: t.card, body: `<dl>${fields.join('')}</dl>${again}` })
}

function field(name: string, value: string, kind = ''): string {
  return `<div class="${kind}"><dt>${name}</dt><dd>${value}</dd></div>`
}

/** Shows an error message and its code for support. Both come from our own tables, so they need no escaping. */
export function errorPage(language: Language, code: string, message: string, embedder: string): Page {
  const { card, error } = texts[language]
  return buildPage({
    language,
    title: card,
    style,
    script: errorScript,
    data: { code, embedder },
    body: `<p>${error(code, message)}</p><p>${code}</p>`,
  })
}
