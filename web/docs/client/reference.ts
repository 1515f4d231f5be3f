import { accessToken, createPurser, parseAmount, simulator, walletSession } from '@purser/client'

/**
 * The page of the API reference. In a sandbox, it signs a test wallet in, so that requests need no token typed by hand.
 */

type Facts = { readonly mode?: string; readonly simulatorPassword?: string | null; readonly hasOperators?: boolean }
type Reference = { readonly destroy: () => void }
type Scalar = { createApiReference(place: Element, configuration: object): Reference }

const facts: Facts = JSON.parse(document.querySelector('meta[name=purser]')?.getAttribute('content') ?? '{}')
const isServed = facts.mode !== undefined
/** The documents that the page shows. In production, only the host of the console serves that of operators. */
const sources = [
  { title: 'Users and partners', slug: 'users', url: isServed ? '/openapi.json' : './openapi.json', default: true },
  ...(!isServed || facts.hasOperators
    ? [{ title: 'Operators', slug: 'operators', url: isServed ? '/operator/openapi.json' : './openapi.operator.json' }]
    : []),
]
const password = facts.simulatorPassword ?? ''
const { Scalar: scalar } = window as unknown as { readonly Scalar: Scalar }
const place = document.getElementById('reference')
const button = document.getElementById('sign-in')
const state = document.getElementById('sign-in-state')
if (place === null || button === null || state === null) throw new TypeError('the page is incomplete')

let token = ''
let shown: Reference | null = null

/**
 * Keeps the list of operations below the header. Prevents broken words in the narrow columns of the introduction, and
 * margins that take a quarter of a phone's width. A link to an operation focuses its section, which needs no outline.
 * The contrast of the colors and the size of the buttons in the list meet WCAG 2.2 AA.
 */
const customCss = `
  :root { --scalar-custom-header-height: 3.5rem }
  .scalar-app .markdown table { table-layout: auto }
  .scalar-app .markdown :is(th, td) { word-break: normal; overflow-wrap: break-word }
  .scalar-app .markdown td code { overflow-wrap: anywhere }
  section[tabindex='-1']:focus-visible { outline: none }
  @media (max-width: 40rem) {
    .scalar-app .section { padding-inline: 0 }
    .scalar-app .markdown :is(th, td) { padding: 6px 8px }
  }
  li[data-sidebar-id] [class~='p-0.75'] { padding: 4px }
  .light-mode {
    --scalar-color-2: #5c5c5c; --scalar-color-3: #666; --scalar-color-accent: #0069b0; --scalar-color-blue: #0069b0;
    --scalar-color-green: #05704b; --scalar-color-red: #c40005; --scalar-color-orange: #b03c00; --scalar-color-yellow: #7a5c00;
  }
  .dark-mode { --scalar-color-3: #a0a0a0 }
`

function isDark(): boolean {
  const chosen = document.documentElement.dataset['theme']
  return chosen === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
}

function show(target: Element): void {
  shown?.destroy()
  target.replaceChildren()
  shown = scalar.createApiReference(target, {
    sources,
    // Requests go to the origin of the page, which may be a tunnel or another name than BASE_URL.
    ...(isServed && { servers: [{ url: '/' }] }),
    withDefaultFonts: false,
    customCss,
    telemetry: false,
    // The page must send nothing to third parties.
    showDeveloperTools: 'never',
    hideClientButton: true,
    hideDarkModeToggle: true,
    forceDarkModeState: isDark() ? 'dark' : 'light',
    agent: { disabled: true },
    mcp: { disabled: true },
    authentication: {
      securitySchemes: {
        bearer: { token },
        sandbox: { username: 'simulator', password },
      },
    },
  })
}

/** Creates a user with a card and money, who is also the owner of a partner. One access token serves both. */
async function signIn(): Promise<string> {
  const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts')
  const wallet = privateKeyToAccount(generatePrivateKey())
  const session = walletSession(wallet, { domain: location.host, uri: location.origin })
  const purser = createPurser({ baseUrl: location.origin, auth: [session, simulator(password)] })
  const { userId } = await purser.sandbox.users.create({ address: wallet.address })
  await purser.cards.create({ cardName: 'Reference', phone: '+4915123456789' })
  const [first] = (await purser.sandbox.tokens.list()).data
  if (first !== undefined) {
    const amount = String(parseAmount('100', first.decimals))
    await purser.sandbox.deposits.create({ userId, token: first.address, amount })
  }
  const signedIn = session.token() ?? ''
  await createPurser({ baseUrl: location.origin, auth: [accessToken(signedIn)] }).partner.create({ name: 'Reference' })
  return signedIn
}

button.hidden = facts.mode !== 'sandbox' || password === ''
button.addEventListener('click', async () => {
  button.setAttribute('disabled', '')
  state.textContent = 'Creating a user with a card, 100 EUR and a partner …'
  try {
    token = await signIn()
    state.textContent =
      'Signed in: a user with a card and 100 EUR, who also owns a partner. "Test Request" sends the access token.'
    button.textContent = 'Sign in with another test wallet'
    show(place)
  } catch (error) {
    state.textContent = `The sign-in failed: ${error instanceof Error ? error.message : String(error)}`
  }
  button.removeAttribute('disabled')
})
// The viewer lists the operations of a group in a box that scrolls. Without this, the keyboard could not scroll it.
new MutationObserver(() => {
  for (const list of place.querySelectorAll('.endpoints:not([tabindex])')) list.setAttribute('tabindex', '0')
}).observe(place, { childList: true, subtree: true })
document.addEventListener('purser:theme', () => show(place))
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => show(place))
show(place)
