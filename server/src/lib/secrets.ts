/**
 * The master secrets: the values of SECRET. The first one signs and encrypts. All of them verify and decrypt, so that
 * SECRET can be rotated while the service runs.
 */
export type Secrets = readonly [string, ...string[]]
