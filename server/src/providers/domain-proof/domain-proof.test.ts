import { describe, expect, test } from 'vitest'
import { OutboundError } from '../../platform/net/outbound.ts'
import { domainProofContract } from './domain-proof.contract.ts'
import { createPublicDomainProof } from './public.ts'
import { createSandboxDomainProof } from './sandbox.ts'

const proof = 'k3hRZ0mY4cXo'

describe('the sandbox domain proof satisfies the contract of the port', () => {
  domainProofContract(createSandboxDomainProof, {
    published: 'app.example.com:8443',
    unpublished: 'app.invalid:8443',
    proof,
  })
})

/** A fake Internet: TXT records by name, pages by URL. */
function internet(records: Record<string, string[][]>, pages: Record<string, { status?: number; text: string }>) {
  const asked: string[] = []
  const provider = createPublicDomainProof({
    resolver: {
      async resolveTxt(name: string) {
        asked.push(name)
        if (records[name] === undefined) throw Object.assign(new Error('no data'), { code: 'ENODATA' })
        return records[name]
      },
    },
    channel: {
      async send(url: string) {
        asked.push(url)
        const page = pages[url]
        if (page === undefined) throw new OutboundError('connection refused')
        return { status: page.status ?? 200, retryAfter: null, text: page.text }
      },
    },
  })
  return { provider, asked }
}

describe('the public domain proof satisfies the contract of the port', () => {
  domainProofContract(
    () => internet({ '_purser-challenge.app.example.com': [['unrelated'], [`purser-domain=${proof}`]] }, {}).provider,
    { published: 'app.example.com', unpublished: 'other.example.com', proof },
  )

  test('a TXT record in several parts is read as one text', async () => {
    const { provider } = internet({ '_purser-challenge.a.example': [['purser-', `domain=${proof}`]] }, {})
    expect(await provider.isPublished('a.example', proof)).toBe(true)
  })

  test('the page proves a domain without a TXT record, and only the page uses the port', async () => {
    const url = 'https://a.example:8443/.well-known/purser-domain.txt'
    const { provider, asked } = internet({}, { [url]: { text: `${proof}\n` } })
    expect(await provider.isPublished('a.example:8443', proof)).toBe(true)
    expect(asked).toEqual(['_purser-challenge.a.example', url])
  })

  test.each([
    ['contains another text', { text: 'another proof' }],
    ['has the proof in the middle of a page', { text: `<p>${proof}</p>` }],
    ['redirects', { status: 302, text: proof }],
    ['is not found', { status: 404, text: proof }],
  ])('a page that %s proves nothing', async (_, page) => {
    const url = 'https://a.example/.well-known/purser-domain.txt'
    const { provider } = internet({ '_purser-challenge.a.example': [['purser-domain=other']] }, { [url]: page })
    expect(await provider.isPublished('a.example', proof)).toBe(false)
  })
})
