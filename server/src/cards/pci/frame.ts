import { createHash } from 'node:crypto'
import type { Shown } from './pci.ts'

/** The pages of the secure frame. They load no other resources, and the page with the card number runs no script. */
const style = `
  :root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif }
  body { margin: 0; padding: 20px 24px }
  dl { display: grid; grid-template-columns: auto auto; justify-content: start; gap: 14px 40px; margin: 0 }
  .wide { grid-column: 1 / -1 }
  dt { font-size: 12px; opacity: .7 }
  dd { margin: 2px 0 0; font: 600 22px/1.3 ui-monospace, monospace; user-select: all }
  dd span { margin-right: .5em }
  p { margin: 0 }
  p + p { margin-top: 6px; font-size: 12px; opacity: .7 }
`

/** Takes the token from the URL fragment, which browsers never send to a server, and removes it from the URL. */
const script = `
const token = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
if (token === '') document.querySelector('p').hidden = false
else {
  document.forms[0].token.value = token
  document.forms[0].submit()
}
`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Allows only this style, this script, and a form to our own origin. */
export const framePolicy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; form-action 'self'; base-uri 'none'`

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head><body>${body}</body></html>
`
}

/** Submits the token as a form, so that the page with the card number needs no script. */
export const tokenPage = page(
  'Card',
  `<form method="post" hidden><input name="token"></form><p hidden>This card view has ended.</p>
<noscript>This frame needs JavaScript.</noscript><script>${script}</script>`,
)

export function cardPage(shown: Shown): string {
  if ('pin' in shown) return page('PIN', `<dl>${field(`PIN of the card ending in ${shown.last4}`, shown.pin)}</dl>`)
  const { number, expiryMonth, expiryYear, securityCode } = shown.details
  const expiry = `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear % 100).padStart(2, '0')}`
  // CSS separates the groups of four, so that the copied text is the bare number.
  const groups = (number.match(/.{1,4}/g) ?? []).map((digits) => `<span>${digits}</span>`).join('')
  return page(
    'Card',
    `<dl>${field('Card number', groups, 'wide')}${field('Expiry', expiry)}${field('Security code', securityCode)}</dl>`,
  )
}

function field(name: string, value: string, kind = ''): string {
  return `<div class="${kind}"><dt>${name}</dt><dd>${value}</dd></div>`
}

/** Shows an error message and its code for support. Both come from our own tables, so they need no escaping. */
export function errorPage(code: string, message: string): string {
  return page('Card', `<p>${code === 'VALIDATION' ? 'The request is not valid.' : message}</p><p>${code}</p>`)
}
