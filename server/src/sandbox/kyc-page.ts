import type { KycStatus } from '../lib/kyc-status.ts'
import { buildPage, escapeHtml, type Language, type Page } from '../platform/http/pages.ts'

/** The page that simulates the identity verification of the sandbox. It runs no script. */

const style = `
  :root {
    color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
    --page: light-dark(#f4f5f7, #0f1115); --card: light-dark(#fff, #191c22); --line: light-dark(#dfe2e7, #2d323b);
    --text: light-dark(#15181d, #edeff2); --soft: light-dark(#5d6570, #9aa3af);
    --good: light-dark(#0b6b3a, #7ddba5); --bad: light-dark(#a4262c, #ff9f9f); --again: light-dark(#7a4d00, #f2c46d);
  }
  * { box-sizing: border-box }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; background: var(--page); color: var(--text) }
  main { width: 100%; max-width: 440px; padding: clamp(20px, 6vw, 32px); background: var(--card); border: 1px solid var(--line); border-radius: 16px }
  .tag { display: inline-block; margin: 0 0 12px; padding: 2px 10px; border: 1px solid var(--line); border-radius: 99px; font-size: 12px; color: var(--soft) }
  h1 { margin: 0 0 8px; font-size: 22px; line-height: 1.25; letter-spacing: -.01em }
  p { margin: 0; color: var(--soft) }
  dl { display: grid; grid-template-columns: auto 1fr; gap: 8px 16px; margin: 24px 0; padding: 16px 0; border: solid var(--line); border-width: 1px 0; font-size: 14px }
  dt { color: var(--soft) }
  dd { margin: 0; text-align: right; overflow-wrap: anywhere }
  dd.id { font: 13px/1.6 ui-monospace, monospace }
  form { display: grid; gap: 10px }
  button { display: flex; justify-content: space-between; align-items: center; gap: 16px; width: 100%; padding: 12px 16px; border: 1px solid var(--line); border-radius: 10px; background: none; color: inherit; font: inherit; text-align: left; cursor: pointer }
  button:hover { border-color: currentColor }
  button:focus-visible { outline: 2px solid currentColor; outline-offset: 2px }
  button b { font-weight: 600; white-space: nowrap }
  button span { font-size: 13px; color: var(--soft); text-align: right }
  .approved { color: var(--good) } .rejected { color: var(--bad) } .resubmissionRequested { color: var(--again) }
  .note { margin-top: 20px; font-size: 13px }
`

/** The decisions that the page offers. Each is a KYC status. */
export const kycDecisions = ['approved', 'rejected', 'resubmissionRequested'] as const
type KycDecision = (typeof kycDecisions)[number]

type Texts = {
  readonly title: string
  readonly lead: string
  readonly user: string
  readonly status: string
  readonly note: string
  /** Returns the sentence for an error. `message` is the one of the API, which is in English. */
  readonly error: (message: string) => string
  readonly decisions: Readonly<Record<KycDecision, readonly [action: string, effect: string]>>
  readonly statuses: Readonly<Record<KycStatus, string>>
}

const texts: Readonly<Record<Language, Texts>> = {
  en: {
    title: 'Identity verification',
    lead: 'The sandbox has no identity provider. Choose the result of the verification for this user.',
    user: 'User',
    status: 'Status',
    note: 'The app sees the result with its next request. You can close this page, or change the result.',
    error: (message) => message,
    decisions: {
      approved: ['Approve', 'The user can continue'],
      rejected: ['Reject', 'The user cannot continue'],
      resubmissionRequested: ['Ask again', 'The user must submit again'],
    },
    statuses: {
      notStarted: 'Not started',
      documentsRequested: 'Documents requested',
      pending: 'Pending',
      processing: 'Processing',
      approved: 'Approved',
      resubmissionRequested: 'Asked to submit again',
      requiresAction: 'Action required',
      rejected: 'Rejected',
    },
  },
  de: {
    title: 'Identitätsprüfung',
    lead: 'Die Sandbox hat keinen Prüfdienst. Wählen Sie das Ergebnis der Prüfung für diesen Nutzer.',
    user: 'Nutzer',
    status: 'Status',
    note: 'Die App sieht das Ergebnis mit ihrer nächsten Anfrage. Sie können diese Seite schließen oder das Ergebnis ändern.',
    error: () => 'Die Seite kann nicht angezeigt werden. Öffnen Sie sie noch einmal aus der App.',
    decisions: {
      approved: ['Bestätigen', 'Der Nutzer kann fortfahren'],
      rejected: ['Ablehnen', 'Der Nutzer kann nicht fortfahren'],
      resubmissionRequested: ['Erneut anfordern', 'Der Nutzer muss die Dokumente erneut einreichen'],
    },
    statuses: {
      notStarted: 'Nicht begonnen',
      documentsRequested: 'Dokumente angefordert',
      pending: 'Ausstehend',
      processing: 'In Bearbeitung',
      approved: 'Bestätigt',
      resubmissionRequested: 'Erneut angefordert',
      requiresAction: 'Handlung erforderlich',
      rejected: 'Abgelehnt',
    },
  },
}

export function kycPage(language: Language, userId: string, status: KycStatus): Page {
  const t = texts[language]
  const buttons = kycDecisions.map((decision) => {
    const [action, effect] = t.decisions[decision]
    return `<button name="decision" value="${decision}"><b class="${decision}">${action}</b><span>${effect}</span></button>`
  })
  return page(
    language,
    t.lead,
    `<dl><dt>${t.user}</dt><dd class="id">${userId}</dd><dt>${t.status}</dt><dd class="${status}">${t.statuses[status]}</dd></dl>
<form method="post">${buttons.join('')}</form>
<p class="note">${t.note}</p>`,
  )
}

export function kycErrorPage(language: Language, message: string): Page {
  return page(language, texts[language].error(message), '')
}

function page(language: Language, text: string, rest: string): Page {
  const { title } = texts[language]
  const body = `<main><p class="tag">Sandbox</p><h1>${title}</h1><p>${escapeHtml(text)}</p>${rest}</main>`
  return buildPage({ language, title, style, body })
}
