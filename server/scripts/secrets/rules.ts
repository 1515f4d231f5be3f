// pure
/** Rules that find secrets in a text by their form. They prefer a false finding to a missed secret. */

/** A finding shows the beginning of the match only, because reports of CI are often public. */
export type Finding = { readonly line: number; readonly rule: string; readonly shown: string }

const rules: Readonly<Record<string, RegExp>> = {
  'private key block': /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----(?:\s|\\n)*([A-Za-z0-9+/=]{16,})/g,
  'cloud access key': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  'token of a code host': /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,})/g,
  'token of a package registry': /\bnpm_[A-Za-z0-9]{36}\b/g,
  'token of a chat service': /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  'live key of a payment service': /\b[rs]k_live_[A-Za-z0-9]{16,}/g,
  'API key of a cloud': /\bAIza[0-9A-Za-z_-]{35}\b/g,
  'access token': /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}/g,
  'API key of a partner': /\bpsk_[A-Za-z0-9_-]{43}/g,
  'webhook secret': /\bwhsec_[A-Za-z0-9+/]{32,}={0,2}/g,
  'password in a URL': /\b[a-z][a-z0-9+]*:\/\/[^\s:@/'"`<>${}]+:[^\s:@/'"`<>${}]+@[^\s'"`]+/g,
  'private key': /(?:key|secret|mnemonic)\w*['"]?\s*[:=]\s*['"`]?(0x[0-9a-fA-F]{64})\b/gi,
  'random secret':
    /(?:secret|password|passwd|token|api_?key)\w*['"]?\s*[:=]\s*['"`]?([A-Za-z0-9+/_=-]{24,})(?=$|['"`\s,;])/gim,
}

/** An address is public. In this project, `token` often names one. */
const isAddress = /^0x[0-9a-fA-F]{40}$/

/** Random letters and digits have about five bits per character, and words and identifiers have fewer than four. */
const minBitsPerCharacter = 4

/** Returns every secret in a text, except the allowed ones. */
export function findSecrets(text: string, allowed: readonly string[] = []): Finding[] {
  return Object.entries(rules).flatMap(([rule, pattern]) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const value = match[1] ?? match[0]
      if (allowed.some((known) => value.includes(known))) return []
      if (rule === 'random secret' && (isAddress.test(value) || !isRandom(value))) return []
      const line = text.slice(0, match.index).split('\n').length
      return [{ line, rule, shown: `${value.slice(0, 12)}…` }]
    }),
  )
}

function isRandom(text: string): boolean {
  if (!/[0-9]/.test(text) || !/[A-Za-z]/.test(text)) return false
  const counts = Map.groupBy(text, (character) => character)
  const bits = [...counts.values()].map(({ length }) => (length / text.length) * Math.log2(text.length / length))
  return bits.reduce((sum, each) => sum + each, 0) >= minBitsPerCharacter
}
