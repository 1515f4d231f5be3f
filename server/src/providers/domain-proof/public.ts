import { Resolver } from 'node:dns/promises'
import { type Channel, openChannel } from '../../platform/net/outbound.ts'
import { type DomainProofProvider, placesOf } from './domain-proof.ts'

const longestFile = 1024

/** Where the tests put their own servers. */
type Means = { readonly resolver: Pick<Resolver, 'resolveTxt'>; readonly channel: Pick<Channel, 'send'> }

/** Looks into the public DNS and at the domain's own web server, which is asked as anybody would: over https. */
export function createPublicDomainProof(means: Means = publicMeans()): DomainProofProvider {
  const { resolver, channel } = means

  async function isInDns(name: string, text: string): Promise<boolean> {
    const records = await resolver.resolveTxt(name).catch(() => [])
    return records.some((parts) => parts.join('').trim() === text)
  }
  async function isOnPage(url: string, text: string): Promise<boolean> {
    const answer = await channel.send(url, { method: 'GET' }).catch(() => null)
    return answer?.status === 200 && answer.text.trim() === text
  }
  return {
    async isShown(domain, proof) {
      const { dnsName, dnsText, url, urlText } = placesOf(domain, proof)
      return (await isInDns(dnsName, dnsText)) || (await isOnPage(url, urlText))
    },
  }
}

function publicMeans(): Means {
  const channel = openChannel({
    mayReachPrivate: false,
    maxConnections: 4,
    deadlineMilliseconds: 5000,
    maxBytes: longestFile,
  })
  return { resolver: new Resolver({ timeout: 2000, tries: 2 }), channel }
}
