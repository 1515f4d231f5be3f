import type { Check } from './checks.ts'
import { textsIn } from './conceal.ts'
import { isLocalHost } from './outbound.ts'
import { sandboxPassword } from './secrets.ts'
import type { Env, Mode } from './setting.ts'

/**
 * The rules that keep the modes apart. A sandbox lets its simulator create money, so it must neither reach the outside
 * world nor be reachable from it by accident.
 */

/**
 * A vendor on this machine is an emulator. All others are real, and probably belong to a production environment that
 * lost its MODE.
 */
const sandboxHasNoVendors: Check = ({ issuer: { issuer }, payouts: { signer }, ...known }, mode) => {
  const { screening } = known.screening
  const { kyc } = known.kyc
  const { iban } = known.ibans
  const { mail } = known.mail
  if (mode === 'production') return []
  const used: readonly (readonly [selected: string, address: string, host: string | null])[] = [
    ...(issuer?.kind === 'http' ? [['ISSUER=http', 'ISSUER_URL', hostOf(issuer.url)] as const] : []),
    ...(signer?.kind === 'aws-kms' ? [['SIGNER=aws-kms', 'KMS_ENDPOINT', hostOf(signer.endpoint)] as const] : []),
    ...(screening?.kind === 'chainalysis'
      ? [['SCREENING=chainalysis', 'CHAINALYSIS_URL', hostOf(screening.url)] as const]
      : []),
    ...(kyc?.kind === 'sumsub' ? [['KYC=sumsub', 'SUMSUB_URL', hostOf(kyc.url)] as const] : []),
    ...(iban?.kind === 'monerium' ? [['IBAN=monerium', 'MONERIUM_URL', hostOf(iban.url)] as const] : []),
    ...(mail?.kind === 'smtp' ? [['MAIL_VIA=smtp', 'SMTP_HOST', mail.host] as const] : []),
  ]
  return used
    .filter(([, , host]) => host === null || !isLocalHost(host))
    .map(
      ([selected, address]) =>
        `${selected} needs MODE=production. A sandbox uses it only when ${address} names an emulator on this machine.`,
    )
}

/** Everybody knows the default password, and with it the simulator creates money. */
const simulatorIsProtected: Check = ({ service: { host, baseUrl }, secrets }, mode) => {
  if (mode === 'production' || secrets.sandboxPassword !== sandboxPassword) return []
  return exposures({ host, baseUrl }).map(
    (setting) =>
      `SANDBOX_PASSWORD must be set to a password of your own, because ${setting} is reachable from other machines.`,
  )
}

type Exposure = { readonly host?: string | undefined; readonly baseUrl?: string | null | undefined }

/** Returns the settings that let other machines reach the service. Behind a local proxy, only BASE_URL shows it. */
function exposures({ host, baseUrl }: Exposure): string[] {
  return [
    ...(host === undefined || isLocalHost(host) ? [] : [`HOST=${host}`]),
    ...(baseUrl && !isLocalHost(new URL(baseUrl).hostname) ? [`BASE_URL=${baseUrl}`] : []),
  ]
}

/** Returns whether other machines can reach the service. */
export function isExposed(service: Exposure): boolean {
  return exposures(service).length > 0
}

/** A script on the frame's own origin could read card numbers, so no page of the API may share that origin. */
const frameHasItsOwnOrigin: Check = ({ service: { baseUrl, apiUrl, authModuleUrl, pciUrl } }, mode) => {
  if (mode === 'sandbox' || !pciUrl) return []
  const others = { BASE_URL: baseUrl, API_URL: apiUrl, AUTH_MODULE_URL: authModuleUrl }
  return Object.entries(others)
    .filter(([, url]) => url && new URL(url).origin === new URL(pciUrl).origin)
    .map(([name]) => `PCI_URL must have a different origin from ${name} in production. Use another host name.`)
}

/** The cookie of an operator belongs to the origin of the console. No page for users may share it. */
const consoleHasItsOwnOrigin: Check = ({ service, operators: { operatorApi, consoleUrl } }, mode) => {
  if (mode === 'sandbox' || !operatorApi || consoleUrl === undefined) return []
  if (consoleUrl === null)
    return ['CONSOLE_URL must be set in production when OPERATOR_API is on. Use the https URL of the console.']
  const { baseUrl, apiUrl, authModuleUrl, pciUrl } = service
  const others = { BASE_URL: baseUrl, API_URL: apiUrl, AUTH_MODULE_URL: authModuleUrl, PCI_URL: pciUrl }
  return Object.entries(others)
    .filter(([, url]) => url && new URL(url).origin === new URL(consoleUrl).origin)
    .map(([name]) => `CONSOLE_URL must have a different origin from ${name} in production. Use another host name.`)
}

export const modeChecks: readonly Check[] = [
  sandboxHasNoVendors,
  simulatorIsProtected,
  frameHasItsOwnOrigin,
  consoleHasItsOwnOrigin,
]

/** Returns the problems that involve the environment itself, or all secrets together. */
export function modeProblems(env: Env, mode: Mode, secrets: ReadonlyMap<string, unknown>): readonly string[] {
  if (mode === 'production') return findSharedSecrets(secrets)
  if (env['NODE_ENV']?.trim() !== 'production' || env['MODE']?.trim()) return []
  return ['MODE must be set when NODE_ENV is production. Use production or sandbox.']
}

/** A leak of one secret must not open the assets of another. Two chains may share a node, so URLs are not compared. */
function findSharedSecrets(secrets: ReadonlyMap<string, unknown>): readonly string[] {
  const owners = new Map<string, string>()
  return [...secrets].flatMap(([name, value]) =>
    textsIn(value).flatMap((text) => {
      const owner = owners.get(text) ?? name
      owners.set(text, owner)
      if (owner === name || text.includes('://')) return []
      return [`${name} must not have the same value as ${owner} in production. Use a secret of its own for each.`]
    }),
  )
}

function hostOf(url: string | null): string | null {
  return url === null ? null : new URL(url).hostname
}
