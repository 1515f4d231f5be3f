import type { DomainProofProvider } from './domain-proof.ts'

/** Accepts every domain without a request, except those in `.invalid`, a reserved name (RFC 2606). */
export function createSandboxDomainProof(): DomainProofProvider {
  return { isPublished: async (domain) => !/\.invalid(:[0-9]+)?$/.test(domain) }
}
