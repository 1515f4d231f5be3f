import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { processEnv } from '../support/process-env.ts'
import { useService } from '../support/service.ts'

const service = useService()
const root = join(import.meta.dirname, '../../..')

/** Stands for the page and the browser wallet of the README. */
const page = (viem: string, key: string) => `
import { privateKeyToAccount } from '${viem}'
const account = privateKeyToAccount('${key}')
const provider = {
  async request({ method, params }) {
    if (method === 'eth_requestAccounts') return [account.address.toLowerCase()]
    if (method === 'eth_chainId') return '0x1'
    if (method === 'personal_sign') return account.signMessage({ message: { raw: params[0] } })
    throw new Error(method)
  },
}
Object.assign(globalThis, { window: { ethereum: provider }, location: { host: 'localhost', origin: 'http://localhost' } })
`

test('the snippets of the client README work in one program, one after the other', async () => {
  const key = generatePrivateKey()
  const folder = await mkdtemp(join(tmpdir(), 'purser-readme-'))
  try {
    const viem = import.meta.resolve('viem/accounts')
    await writeFile(join(folder, 'page.ts'), page(viem, key))
    const snippets = (await readFile(join(root, 'client/README.md'), 'utf8')).match(/(?<=^```ts\n).*?(?=^```)/gms) ?? []
    expect(snippets.length).toBeGreaterThan(6)
    const program = snippets
      .join('\n')
      .replaceAll("'@purser/client/webhooks'", `'${pathToFileURL(join(root, 'client/src/webhooks.ts'))}'`)
      .replaceAll("'@purser/client'", `'${pathToFileURL(join(root, 'client/src/index.ts'))}'`)
      .replaceAll('https://purser.example', service.url)
      .replace('listen(3000)', "listen(0, '127.0.0.1').unref()")
    await writeFile(join(folder, 'snippets.ts'), program)
    await writeFile(join(folder, 'main.ts'), "import './page.ts'\nawait import('./snippets.ts')\n")
    const { address } = privateKeyToAccount(key)
    const { userId } = (await service.sandbox('POST', '/users', { address })).body
    await service.deposit({ userId }, 5n * 10n ** 18n)
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'main.ts')], { env: processEnv })
    expect(stdout).toContain('5.00 EUR')
    expect(stdout).toContain('The amount exceeds the balance.')
    expect(stdout).toContain('active ')
    expect(stdout).toMatch(/GET http:\S+\/user 0 200/)
  } finally {
    await rm(folder, { recursive: true })
  }
})
