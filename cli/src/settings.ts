import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from './command.ts'

/** One setting: from the environment, a file that the environment names, or the configuration file. */
export type Setting = {
  readonly name: string
  readonly variable: string
  readonly description: string
  readonly isSecret: boolean
  readonly fallback?: string
}

export const settings = {
  url: {
    name: 'url',
    variable: 'PURSER_URL',
    description: 'The base URL of the service',
    isSecret: false,
    fallback: 'http://localhost:8080',
  },
  domain: {
    name: 'domain',
    variable: 'PURSER_DOMAIN',
    description:
      'The sign-in domain for your wallet: by default `localhost` for a service on this machine, otherwise the host of the service',
    isSecret: false,
  },
  consoleUrl: {
    name: 'console-url',
    variable: 'PURSER_CONSOLE_URL',
    description: 'The URL of the operator console, which gets all requests of operators; by default the base URL',
    isSecret: false,
  },
  walletKey: {
    name: 'wallet-key',
    variable: 'PURSER_WALLET_KEY',
    description: 'The private key of the wallet that signs you in, in hex',
    isSecret: true,
  },
  walletAddress: {
    name: 'wallet-address',
    variable: 'PURSER_WALLET_ADDRESS',
    description: "The address of an operator's wallet whose key is elsewhere, such as on a hardware wallet",
    isSecret: false,
  },
  chainId: {
    name: 'chain-id',
    variable: 'PURSER_CHAIN_ID',
    description: "The chain of an operator's contract wallet",
    isSecret: false,
  },
  apiKey: {
    name: 'api-key',
    variable: 'PURSER_API_KEY',
    description: "The API key of a partner's server",
    isSecret: true,
  },
  token: {
    name: 'token',
    variable: 'PURSER_TOKEN',
    description: 'An access token, instead of a wallet',
    isSecret: true,
  },
  sandboxPassword: {
    name: 'sandbox-password',
    variable: 'PURSER_SANDBOX_PASSWORD',
    description: "The password of the sandbox's simulator",
    isSecret: true,
    fallback: 'sandbox',
  },
} as const satisfies Record<string, Setting>

export type SettingKey = keyof typeof settings

/** The sandbox user that the last `sandbox user` created. Its key is worthless outside of a sandbox. */
export type SandboxUser = {
  readonly userId: string
  readonly accountAddress: string
  readonly walletKey: string
  readonly cardId: string
  readonly authorizationCode?: string
}

type Stored = {
  readonly settings?: Readonly<Record<string, string>>
  /** The tokens of operators, by the URL of the console and then by wallet. */
  readonly operators?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly sandbox?: Readonly<Record<string, SandboxUser>>
}

const ownerOnly = 0o600
const othersMask = 0o077

type Env = Readonly<Record<string, string | undefined>>

/** The configuration file of one person. Only its owner may read it. */
export class Configuration {
  readonly path: string
  readonly #env: Env
  readonly #overrides: Readonly<Record<string, string>>
  #stored: Stored | null = null
  #pending: Promise<string | null> = Promise.resolve(null)

  constructor(env: Env, overrides: Readonly<Record<string, string>> = {}) {
    this.#env = env
    this.#overrides = overrides
    const base = env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? env['USERPROFILE'] ?? '.', '.config')
    this.path = env['PURSER_CONFIG'] ?? join(base, 'purser/config.json')
  }

  async get(key: 'url' | 'sandboxPassword'): Promise<string>
  async get(key: SettingKey): Promise<string | undefined>
  async get(key: SettingKey): Promise<string | undefined> {
    const setting: Setting = settings[key]
    const given = this.#overrides[setting.name] ?? this.#env[setting.variable]?.trim()
    if (given) return given
    const file = this.#env[`${setting.variable}_FILE`]
    if (setting.isSecret && file) return (await this.#readSecret(setting, file)).trim()
    return (await this.#read()).settings?.[setting.name] ?? setting.fallback
  }

  async set(name: string, value: string | null): Promise<void> {
    const stored = await this.#read()
    const { [name]: _old, ...rest } = stored.settings ?? {}
    await this.#write({ ...stored, settings: value === null ? rest : { ...rest, [name]: value } })
  }

  /** Returns the current sandbox user of the service. */
  async sandboxUser(): Promise<SandboxUser | undefined> {
    return (await this.#read()).sandbox?.[await this.get('url')]
  }

  async setSandboxUser(user: SandboxUser): Promise<void> {
    const stored = await this.#read()
    await this.#write({ ...stored, sandbox: { ...stored.sandbox, [await this.get('url')]: user } })
  }

  /** Rewrites the file unchanged, so that an unwritable file fails before any other work. */
  async requireWritable(): Promise<void> {
    await this.#write(await this.#read())
  }

  /** Returns the token of an operator's session at the URL. It is sent nowhere else. */
  async operatorToken(url: string, address: string): Promise<string | undefined> {
    return (await this.#read()).operators?.[url]?.[address]
  }

  /** Keeps the token for the next command; null: forgets it. `flush` waits for it. */
  keepOperatorToken(url: string, address: string, token: string | null): void {
    // The command may need a while until it calls `flush`, so the rejection is handled here.
    this.#pending = this.#pending
      .then(() => this.#setOperatorToken(url, address, token))
      .then(
        () => null,
        ({ code, message }: NodeJS.ErrnoException) =>
          `${token === null ? 'Your ended session is still stored' : 'Your session is not stored'}, because ${this.path} cannot be written (${code ?? message}). Check the path and its permissions.`,
      )
  }

  /** Waits until the token is stored. Returns the sentence of a problem once; null: there is none. */
  async flush(): Promise<string | null> {
    const problem = await this.#pending
    this.#pending = Promise.resolve(null)
    return problem
  }

  async #setOperatorToken(url: string, address: string, token: string | null): Promise<void> {
    const stored = await this.#read()
    const { [address]: _old, ...rest } = stored.operators?.[url] ?? {}
    const tokens = token === null ? rest : { ...rest, [address]: token }
    await this.#write({ ...stored, operators: { ...stored.operators, [url]: tokens } })
  }

  async #readSecret({ variable }: Setting, file: string): Promise<string> {
    return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new Failure(`${variable}_FILE names a file that cannot be read: ${file} (${error.code}).`)
    })
  }

  async #read(): Promise<Stored> {
    if (this.#stored !== null) return this.#stored
    const found = await stat(this.path).catch(() => null)
    if (found === null) return {}
    if (process.platform !== 'win32' && (found.mode & othersMask) !== 0) {
      throw new Failure(`${this.path} has secrets and is readable by others. Run: chmod 600 ${this.path}`)
    }
    const stored = storedIn(await readFile(this.path, 'utf8'))
    if (stored === null) throw new Failure(`${this.path} is not a configuration file. Correct or delete it.`)
    this.#stored = stored
    return stored
  }

  async #write(stored: Stored): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    // A crash in the middle must not leave half a file, and the file must never be readable by others.
    const temporary = `${this.path}.${process.pid}`
    await writeFile(temporary, `${JSON.stringify(stored, null, 2)}\n`, { mode: ownerOnly })
    await chmod(temporary, ownerOnly)
    await rename(temporary, this.path)
    this.#stored = stored
  }
}

/** Returns the content of a configuration file; null: it is not one. */
function storedIn(text: string): Stored | null {
  try {
    const stored: Stored = JSON.parse(text)
    const { settings: given = {}, operators = {}, sandbox = {} } = stored
    const isValid = [given, operators, sandbox].every((part) => typeof part === 'object' && part !== null)
    return isValid && Object.values(given).every((value) => typeof value === 'string') ? stored : null
  } catch {
    return null
  }
}
