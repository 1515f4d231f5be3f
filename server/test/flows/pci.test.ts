import { request as httpRequest } from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { suspendPartner } from '../../src/partners/approval.ts'
import { registerDomain, removeDomain } from '../../src/partners/domains.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { luhnSum } from '../../src/providers/card-details/card-details.contract.ts'
import type { CardDetails } from '../../src/providers/card-details/card-details.ts'
import { newPartner, type TestPartner } from '../support/partner.ts'
import { newWallet, type Reply, startService, type TestService, type Wallet } from '../support/service.ts'
import { type Person, populate } from '../support/world.ts'

type Owner = Pick<Person, 'token' | 'wallet' | 'userId' | 'cardId'>

/** The seconds by which the service's clock is ahead. */
let ahead = 0
/** Everything that the service has logged. */
let logged = ''
let service: TestService
let owner: Owner

beforeAll(async () => {
  const write = (line: string) => {
    logged += line
  }
  service = await startService({
    env: { PCI_URL: 'https://cards.programme.example' },
    alter: (ctx) => ({
      ...ctx,
      log: createLog('trace', { write }),
      clock: { now: () => new Date(Date.now() + ahead * 1000) },
    }),
  })
})
afterAll(() => service.stop())
beforeEach(async () => {
  ahead = 0
  owner = (await populate(service, { card: true })).alice
})

type Part = 'challenge' | 'token'
const pathOf = (cardId: string, part: Part) => `/pci/cards/${cardId}/${part}`

const challengeFor = (action: string, { token, cardId } = owner): Promise<Reply> =>
  service.request('GET', `${pathOf(cardId, 'challenge')}?action=${action}`, { token })

/** Gets a challenge and signs it, as a wallet does. */
async function signed(action: string, by: Wallet = owner.wallet, of = owner) {
  const { body } = await challengeFor(action, of)
  const { authorization, nonce } = body.message
  const signature = await by.signTypedData({ ...body, message: { authorization, nonce: BigInt(nonce) } })
  return { action, nonce, signature }
}

const exchange = (body: object, { token, cardId } = owner, headers: Record<string, string> = {}): Promise<Reply> =>
  service.request('POST', pathOf(cardId, 'token'), { token, body, headers })

async function tokenFor(action: string, of = owner, headers: Record<string, string> = {}): Promise<string> {
  const answer = await exchange(await signed(action, of.wallet, of), of, headers)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.ephemeralToken
}

/** Sends a view token as the form in the frame does. */
const open = (token: string, headers: Record<string, string> = {}): Promise<Reply> =>
  service.request('POST', '/pci/frame', {
    body: String(new URLSearchParams({ token })),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

async function recordOf({ token, cardId }: Owner): Promise<any> {
  return (await service.request('GET', `/cards/${cardId}`, { token })).body
}

/** Reads the owner's card data from the provider, to search for it where it must not be. */
async function secretsOf(cardId: string): Promise<{ details: CardDetails; pin: string }> {
  const [card] = await service.ctx.db.query<any>(
    `select card_token as "cardToken", last4, expiry_month as "expiryMonth", expiry_year as "expiryYear"
     from card where user_id = $1 and card_id = $2`,
    [owner.userId, cardId],
  )
  const { cardDetails } = service.ctx
  return { details: await cardDetails.readDetails(card), pin: await cardDetails.readPin(card) }
}

const shownIn = (html: string) => html.replace(/<(style|script)>.*?<\/\1>/gs, '').replace(/<[^>]+>/g, ' ')

async function expectErrorPage(answer: Promise<Reply>, status: number, code: string): Promise<void> {
  const { status: got, text, headers } = await answer
  expect([got, headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
  expect(text).toContain(code)
  expect(shownIn(text)).not.toMatch(/[0-9]{4}/)
}

function expectRefused(answer: Reply, status: number, error: string): void {
  expect([answer.status, answer.body]).toEqual([status, { success: false, error }])
}

describe('a card view begins with a challenge', () => {
  test('a challenge is typed data that names the card and the action', async () => {
    const answer = await challengeFor('view-details')
    const { last4 } = await recordOf(owner)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toEqual({
      domain: { name: 'Purser', version: '1', chainId: 1 },
      primaryType: 'Message',
      types: {
        Message: [
          { name: 'authorization', type: 'string' },
          { name: 'nonce', type: 'uint256' },
        ],
      },
      message: {
        authorization: `Show number, expiry and security code of the card ending in ${last4} (${owner.cardId})`,
        nonce: expect.stringMatching(/^[1-9][0-9]{60,77}$/),
      },
    })
    expect((await challengeFor('view-pin')).body.message.authorization).toContain('PIN')
  })

  test('each challenge for a card view has a new nonce', async () => {
    const [one, other] = [await challengeFor('view-pin'), await challengeFor('view-pin')]
    expect(one.body.message.nonce).not.toBe(other.body.message.nonce)
  })

  test.each(['', 'x', 'view-all', 'change-pin'])(
    'a challenge for the action %j is rejected with 400',
    async (action) => {
      expect(await challengeFor(action)).toMatchObject({ status: 400, body: { kind: 'validation' } })
    },
  )

  test('an owner gets a challenge for a blocked card, but not for a canceled one', async () => {
    const { token } = owner
    await service.request('POST', `/cards/${owner.cardId}/block`, { token })
    expect((await challengeFor('view-pin')).status).toBe(200)
    const body = await signed('view-pin')
    await service.request('POST', `/cards/${owner.cardId}/cancel`, { token })
    expectRefused(await challengeFor('view-pin'), 422, 'INVALID_CARD_STATUS')
    expectRefused(await exchange(body), 422, 'INVALID_CARD_STATUS')
  })

  test('a challenge for a card that is not issued yet is rejected with 422', async () => {
    service.ctx.sandbox?.issuer.failNext(1000)
    const made = { token: owner.token, body: { cardName: 'Late' } }
    expect((await service.request('POST', '/cards/virtual', made)).status).toBe(502)
    const [late] = (await service.request('GET', '/cards', { token: owner.token })).body.data
    expectRefused(await challengeFor('view-pin', { ...owner, cardId: late.cardId }), 422, 'INVALID_CARD_STATUS')
    service.ctx.sandbox?.issuer.failNext(0)
  })

  test('a challenge for another user’s card gets 404, and one without an access token 401', async () => {
    const { bob } = await populate(service, { card: true }, 'bob')
    const strange = { ...bob, cardId: owner.cardId }
    const body = await signed('view-details')
    for (const answer of [await challengeFor('view-pin', strange), await exchange(body, strange)]) {
      expectRefused(answer, 404, 'CARD_NOT_FOUND')
    }
    const path = pathOf(owner.cardId, 'challenge')
    expectRefused(await service.request('GET', `${path}?action=view-pin`), 401, 'UNAUTHORIZED')
    expectRefused(await service.request('POST', pathOf(owner.cardId, 'token'), { body }), 401, 'UNAUTHORIZED')
  })
})

describe('a signed challenge is exchanged for a view token', () => {
  test('a view token is valid for a minute, and its frame has its own origin', async () => {
    const answer = await exchange(await signed('view-details'))
    expect(answer.status).toBe(201)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { ephemeralToken, expiresAt, frameUrl } = answer.body
    expect(frameUrl).toBe(`https://cards.programme.example/pci/frame#${ephemeralToken}`)
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 60_000)).toBeLessThan(30_000)
  })

  test('a challenge for a card view is exchanged only once, even by concurrent requests', async () => {
    const body = await signed('view-details')
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(body)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 201)) expectRefused(answer, 403, 'CHALLENGE_USED')
  })

  test('a challenge for a card view expires after five minutes', async () => {
    const body = await signed('view-details')
    ahead = 290
    expect((await exchange(body)).status).toBe(201)
    const late = await signed('view-details')
    ahead += 301
    expectRefused(await exchange(late), 403, 'CHALLENGE_EXPIRED')
  })

  test('only the signed-in wallet can sign a challenge, and a wrong signature uses it up', async () => {
    const { nonce, signature } = await signed('view-details', newWallet())
    expectRefused(await exchange({ action: 'view-details', nonce, signature }), 403, 'CHALLENGE_NOT_SIGNED')
    expectRefused(await exchange({ action: 'view-details', nonce, signature }), 403, 'CHALLENGE_USED')
  })

  test('a signature is valid only for its own action, card, user, text and nonce', async () => {
    const details = await signed('view-details')
    expectRefused(await exchange({ ...details, action: 'view-pin' }), 403, 'INVALID_CHALLENGE')

    const second = { token: owner.token, body: { cardName: 'Second' } }
    const { cardId } = (await service.request('POST', '/cards/virtual', second)).body
    expectRefused(await exchange(details, { ...owner, cardId }), 403, 'INVALID_CHALLENGE')

    const { bob } = await populate(service, { card: true }, 'bob')
    expectRefused(await exchange(details, bob), 403, 'INVALID_CHALLENGE')

    for (const nonce of ['0', '1', '9'.repeat(78), String(BigInt(details.nonce) + 1n)]) {
      expectRefused(await exchange({ ...details, nonce }), 403, 'INVALID_CHALLENGE')
    }
    const signIn = await owner.wallet.signMessage({ message: details.nonce })
    expectRefused(await exchange({ ...details, signature: signIn }), 403, 'CHALLENGE_NOT_SIGNED')
  })

  test('a sign-in nonce is not accepted as the nonce of a challenge', async () => {
    const nonce = (await service.request('GET', '/api/v1/auth/nonce')).text.slice(1)
    const body = { action: 'view-details', nonce: String(BigInt(`0x${nonce}`)), signature: '0x' }
    expectRefused(await exchange(body), 403, 'INVALID_CHALLENGE')
  })

  test.each([
    ['no action', { action: undefined }],
    ['a nonce in hex', { nonce: '0x1' }],
    ['a second spelling of the nonce', { nonce: '01' }],
    ['a nonce that is a number', { nonce: 1 }],
    ['a signature without 0x', { signature: 'ab' }],
  ])('a request for a view token with %s is rejected with 400', async (_name, change) => {
    const body = { action: 'view-details', nonce: '1', signature: '0x', ...change }
    expect(await exchange(body)).toMatchObject({ status: 400, body: { kind: 'validation' } })
  })
})

describe('the secure frame shows card data', () => {
  test('the frame shows the number, expiry and security code once', async () => {
    const token = await tokenFor('view-details')
    const { last4, expiryMonth, expiryYear } = await recordOf(owner)
    const answer = await open(token)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const text = shownIn(answer.text)
    const number = (/Card number ([ 0-9]+) Expiry/.exec(text.replace(/ +/g, ' '))?.[1] ?? '').replaceAll(' ', '')
    expect(number).toMatch(new RegExp(`^400000[0-9]{6}${last4}$`))
    expect(luhnSum(number) % 10).toBe(0)
    expect(text).toContain(`${String(expiryMonth).padStart(2, '0')}/${expiryYear % 100}`)
    expect(text).toContain((await secretsOf(owner.cardId)).details.securityCode)
    await expectErrorPage(open(token), 403, 'VIEW_REFUSED')
  })

  test('the frame shows only the PIN for a view token of the PIN action', async () => {
    const text = shownIn((await open(await tokenFor('view-pin'))).text)
    const { pin, details } = await secretsOf(owner.cardId)
    expect(text).toContain(pin)
    expect(text.replace(/ /g, '')).not.toContain(details.number)
  })

  test('only one of ten concurrent requests with one view token shows the card data', async () => {
    const token = await tokenFor('view-details')
    const answers = await Promise.all(Array.from({ length: 10 }, () => open(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('the frame shows nothing for an expired, changed, invented or missing view token', async () => {
    const token = await tokenFor('view-details')
    const changed = token.slice(0, -2) + (token.endsWith('A') ? 'BB' : 'AA')
    for (const other of [changed, 'A'.repeat(86), token.slice(1), `${token} `, '']) {
      await expectErrorPage(open(other), 403, 'VIEW_REFUSED')
    }
    ahead = 61
    await expectErrorPage(open(token), 403, 'VIEW_REFUSED')
    ahead = 0
    expect((await open(token)).status).toBe(200)
  })

  test('the frame shows nothing to a removed owner or for an ended card', async () => {
    const lost = await tokenFor('view-details')
    await service.sandbox('POST', `/cards/${owner.cardId}/status`, { status: 'lost' })
    await expectErrorPage(open(lost), 422, 'INVALID_CARD_STATUS')

    owner = (await populate(service, { card: true })).alice
    const revoked = await tokenFor('view-details')
    await service.ctx.db.query('delete from owner where user_id = $1', [owner.userId])
    await expectErrorPage(open(revoked), 401, 'ACCESS_REVOKED')
  })

  test('a request for the frame gets 502 during an outage of the processor, and the view token works afterwards', async () => {
    const token = await tokenFor('view-pin')
    service.ctx.sandbox?.cardDetails.failNext(1)
    await expectErrorPage(open(token), 502, 'UPSTREAM_FAILURE')
    expect((await open(token)).status).toBe(200)
  })

  test('the frame accepts only a short form body', async () => {
    await expectErrorPage(open('A'.repeat(2000)), 413, 'PAYLOAD_TOO_LARGE')
    await expectErrorPage(
      service.request('POST', '/pci/frame', { body: { token: 'x' } }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    )
  })

  test('the frame has its own content security policy, is not cached, and card data shows only in registered pages', async () => {
    await registerDomain(service.ctx, 'wallet.example.com')
    await registerDomain(service.ctx, '[2001:db8::1]:443')
    const cases: [Reply, string[]][] = [
      [await service.request('GET', '/pci/frame'), []],
      [await open('x'), []],
      [
        await open(await tokenFor('view-details')),
        ['frame-ancestors http://localhost:* https://localhost:* wallet.example.com'],
      ],
    ]
    for (const [answer, ancestors] of cases) {
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy.split('; ')).toEqual([
        "default-src 'none'",
        expect.stringMatching(/^style-src 'sha256-[^']+'$/),
        expect.stringMatching(/^script-src 'sha256-[^']+'$/),
        "form-action 'self'",
        "base-uri 'none'",
        ...ancestors,
      ])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('x-frame-options')).toBeNull()
    }
    await removeDomain(service.ctx, 'wallet.example.com')
    await removeDomain(service.ctx, '[2001:db8::1]:443')
  })

  test('only pages of the user’s partner can embed the card data, unless partners share their domains', async () => {
    const theirs = await partnerAt('one.example', 'pay.one.example')
    await partnerAt('two.example')
    const ancestorsOf = ({ headers }: Reply) => headers.get('content-security-policy')?.split('https://localhost:* ')[1]
    const shownFor = async (headers: Record<string, string>) =>
      ancestorsOf(await open(await tokenFor('view-pin', owner, headers)))
    expect(await shownFor({})).toBeUndefined()

    const cameThrough = [owner.userId, theirs.partnerId]
    await service.ctx.db.query('update app_user set partner_id = $2 where user_id = $1', cameThrough)
    expect(await shownFor({})).toBe('one.example pay.one.example')
    for (const origin of ['http://localhost:3000', 'https://evil.example', 'null']) {
      expect(await shownFor({ origin })).toBe('one.example pay.one.example')
    }
    expect(await shownFor({ origin: 'https://two.example' })).toBe('one.example pay.one.example')

    const unshared = service
    service = await startService({ connection: unshared.connection, env: { SHARED_DOMAINS: 'on' }, worker: false })
    try {
      expect(await shownFor({ origin: 'https://two.example' })).toBe('two.example')
    } finally {
      await service.stop()
      service = unshared
    }
    const token = await tokenFor('view-pin', owner)
    await suspendPartner(service.ctx, theirs.partnerId)
    expect(ancestorsOf(await open(token))).toBeUndefined()
  })

  /** Creates a partner with proven domains. */
  async function partnerAt(...domains: string[]): Promise<TestPartner> {
    const partner = await newPartner(service)
    for (const domain of domains) {
      await partner.ask('POST', '/domains', { domain, environment: 'sandbox' })
      expect((await partner.ask('POST', `/domains/${domain}/verify`)).status).toBe(200)
    }
    return partner
  }

  test('the page with the card number loads nothing, hides the number after 30 seconds and is replaced after two minutes', async () => {
    const { text, headers } = await open(await tokenFor('view-details'))
    expect(text).not.toMatch(/src=|href=|url\(/)
    expect(text).toContain('setTimeout(hide, 30 * 1000)')
    expect(text).toContain('Show again')
    expect(headers.get('refresh')).toBe('120;url=/pci/frame?embedder=')
  })

  test('the frame has the language that its URL names, or else the one that the browser prefers', async () => {
    const german = { 'accept-language': 'fr-FR,de-DE;q=0.9,en;q=0.8' }
    const openIn = (query: string, token: string, headers = {}) =>
      service.request('POST', `/pci/frame${query}`, {
        body: String(new URLSearchParams({ token })),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      })
    const shown = await openIn('', await tokenFor('view-details'), german)
    expect(shown.text).toContain('<html lang="de">')
    for (const text of ['Kartennummer', 'Gültig bis', 'Prüfziffer']) expect(shown.text).toContain(text)
    expect((await openIn('', await tokenFor('view-pin'), german)).text).toContain('PIN der Karte mit der Endung')
    expect((await openIn('?lang=en', await tokenFor('view-details'), german)).text).toContain('Card number')
    const named = await openIn('?lang=de', await tokenFor('view-details'))
    expect(named.headers.get('refresh')).toBe('120;url=/pci/frame?lang=de&embedder=')
    expect((await service.request('GET', '/pci/frame?lang=de')).text).toContain('Diese Kartenansicht ist beendet.')
    for (const [accepted, language] of [
      ['de;q=0.1, en', 'en'],
      ['fr, en;q=0.5, de ; q=0.7', 'de'],
      ['de;q=0', 'en'],
      ['de;q=x, *', 'en'],
    ] as const) {
      const { text } = await service.request('GET', '/pci/frame', { headers: { 'accept-language': accepted } })
      expect(text, accepted).toContain(`<html lang="${language}">`)
    }
    const refused = openIn('?lang=de', 'x')
    await expectErrorPage(refused, 403, 'VIEW_REFUSED')
    expect((await refused).text).toContain('Fordern Sie eine neue an.')
  })

  test('the script of a page is the same for the card details and the PIN, so it contains no card data', async () => {
    const scriptOf = ({ text }: Reply) => /<script>(.*)<\/script>/s.exec(text)?.[1]
    const [one, other] = [await open(await tokenFor('view-details')), await open(await tokenFor('view-pin'))]
    expect(scriptOf(one)).toBe(scriptOf(other))
    expect(scriptOf(one)).toContain("send({ type: 'ready' })")
  })

  test('each page sends its messages only to the embedding page, whose name cannot inject HTML', async () => {
    const shownTo = (embedder: string, token: string) => {
      const body = String(new URLSearchParams({ token, embedder }))
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return service.request('POST', '/pci/frame?lang=de', { body, headers })
    }
    const endAfter = async ({ headers }: Reply) =>
      (await service.request('GET', headers.get('refresh')?.split('url=')[1] ?? '')).text
    const shown = await shownTo('https://shop.example', await tokenFor('view-details'))
    for (const text of [shown.text, await endAfter(shown)]) {
      expect(text).toContain('<html lang="de">')
      expect(text).toContain('data-embedder="https://shop.example"')
      expect(text).not.toContain("'*'")
    }
    const injected = '"><script>alert(1)</script>'
    expect(await endAfter(await shownTo(injected, await tokenFor('view-pin')))).toContain(
      '<body data-embedder="&quot;>&lt;script>alert(1)&lt;/script>">',
    )
    const { text: refused } = await shownTo(injected, 'x')
    expect(refused).toContain('data-code="VIEW_REFUSED" data-embedder="&quot;>&lt;script>alert(1)&lt;/script>"')
    expect(refused).toContain("type: 'refused', code: document.body.dataset.code")
  })

  test('a partner’s page can embed the frame, but its scripts cannot read it', async () => {
    const token = await tokenFor('view-details')
    const fetched = await open(token, { origin: 'http://localhost:3000' })
    expect(fetched.headers.get('access-control-allow-origin')).toBeNull()
    // The rest of the API does allow the origin.
    const nonce = await service.request('GET', '/api/v1/auth/nonce', { headers: { origin: 'http://localhost:3000' } })
    expect(nonce.headers.get('access-control-allow-origin')).toBe('http://localhost:3000')

    const another = await tokenFor('view-details')
    for (const use of ['empty', 'document', 'object', 'script']) expect(await statusAs(use, another)).toBe(403)
    expect(await statusAs('iframe', another)).toBe(200)
  })

  /** Sends the `Sec-Fetch-Dest` header, which `fetch` does not allow. */
  function statusAs(use: string, token: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-dest': use }
      const sent = httpRequest(`${service.url}/pci/frame`, { method: 'POST', headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sent.on('error', reject).end(`token=${token}`)
    })
  }
})

test('card data appears in no log, no table and no response of the user API', async () => {
  logged = ''
  const { details } = await secretsOf(owner.cardId)
  expect((await open(await tokenFor('view-details'))).status).toBe(200)
  expect((await open(await tokenFor('view-pin'))).status).toBe(200)
  service.ctx.sandbox?.cardDetails.failNext(1)
  expect((await open(await tokenFor('view-details'))).status).toBe(502)
  const { token } = owner
  const answers = await Promise.all(
    ['/cards', `/cards/${owner.cardId}`, '/user', '/user/statement'].map((path) =>
      service.request('GET', path, { token }),
    ),
  )

  const client = new pg.Client(service.connection)
  await client.connect()
  const { rows: tables } = await client.query("select tablename from pg_tables where schemaname = 'public'")
  let stored = ''
  for (const { tablename } of tables) {
    const { rows } = await client.query(`select t::text as line from ${tablename} t`)
    stored += rows.map(({ line }) => line).join('\n')
  }
  await client.end()
  expect(logged).toContain('/pci/frame')
  expect(stored).toContain(owner.cardId)
  for (const text of [logged, stored, ...answers.map(({ text }) => text)]) {
    expect(text).not.toContain(details.number)
    expect(text).not.toContain(details.number.slice(6))
    expect(text).not.toMatch(/(securityCode|cvv|pin)"?[:=]/i)
  }
  // Three or four digits can occur anywhere by chance, so check that the stored view has no card data at all.
  const [view] = await service.ctx.db.query<object>(
    'select * from card_view where user_id = $1 order by created_at limit 1',
    [owner.userId],
  )
  expect(view).toEqual({
    user_id: owner.userId,
    view_id: expect.any(String),
    card_id: owner.cardId,
    signer_address: owner.wallet.address,
    action: expect.stringMatching(/^view-/),
    token_hash: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    expires_at: expect.any(Date),
    opened_at: expect.any(Date),
    created_at: expect.any(Date),
    partner_id: null,
  })
})
