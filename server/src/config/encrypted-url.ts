/** The rule of production for URLs of other systems: https, or plain http to this machine, such as to a local TLS proxy. */
export const encryptedUrl = {
  requirement: 'an https URL, or a URL of this machine',
  holds: (url: string) => url.startsWith('https://') || isLocalHost(new URL(url).hostname),
}

export function isLocalHost(host: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(host)
}
