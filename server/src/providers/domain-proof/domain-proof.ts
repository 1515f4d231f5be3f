/** Verifies that a partner controls a domain, by a proof that only its owner can publish. */
export type DomainProofProvider = {
  /** Returns whether the domain (`host` or `host:port`) publishes the proof now. An unreachable domain does not. */
  isPublished(domain: string, proof: string): Promise<boolean>
}

/** Returns the two places of a proof. Either is enough. */
export function placesOf(domain: string, proof: string) {
  return {
    dnsName: `_purser-challenge.${domain.replace(/:[0-9]+$/, '')}`,
    dnsText: `purser-domain=${proof}`,
    url: `https://${domain}/.well-known/purser-domain.txt`,
    urlText: proof,
  }
}
