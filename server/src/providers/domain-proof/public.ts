import { Resolver } from 'node:dns/promises'
import { type Channel, openChannel } from '../../platform/net/outbound.ts'
import { type DomainProofProvider, placesOf } from './domain-proof.ts'

const maxFileBytes = 1024

/** The access to the network, which tests replace. */
type NetworkAccess = { readonly resolver: Pick<Resolver, 'resolveTxt'>; readonly channel: Pick<Channel, 'send'> }

/** Looks for the proof in public DNS and, over HTTPS, on the domain's web server. */
export function createPublicDomainProof(network: NetworkAccess = publicNetwork()): DomainProofProvider {
  const { resolver, channel } = network

  async function isInDns(name: string, text: string): Promise<boolean> {
    const records = await resolver.resolveTxt(name).catch(() => [])
    return records.some((parts) => parts.join('').trim() === text)
  }
  async function isOnPage(url: string, text: string): Promise<boolean> {
    const response = await channel.send(url, { method: 'GET' }).catch(() => null)
    return response?.status === 200 && response.text.trim() === text
  }
  return {
    async isPublished(domain, proof) {
      const { dnsName, dnsText, url, urlText } = placesOf(domain, proof)
      return (await isInDns(dnsName, dnsText)) || (await isOnPage(url, urlText))
    },
  }
}

function publicNetwork(): NetworkAccess {
  const channel = openChannel({
    mayReachPrivate: false,
    maxConnections: 4,
    deadlineMilliseconds: 5000,
    maxBytes: maxFileBytes,
  })
  return { resolver: new Resolver({ timeout: 2000, tries: 2 }), channel }
}
