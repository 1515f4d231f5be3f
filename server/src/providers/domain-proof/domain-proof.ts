/** How it is found out whether somebody who claims a domain can change what it shows. */
export type DomainProofProvider = {
  /** Whether the domain (`host` or `host:port`) shows the proof, now. What cannot be asked does not show it. */
  isShown(domain: string, proof: string): Promise<boolean>
}

/** Where the proof is looked for: either is enough. */
export function placesOf(domain: string, proof: string) {
  return {
    dnsName: `_purser-challenge.${domain.replace(/:[0-9]+$/, '')}`,
    dnsText: `purser-domain=${proof}`,
    url: `https://${domain}/.well-known/purser-domain.txt`,
    urlText: proof,
  }
}
