import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Failure, UsageError } from '../command.ts'

/** The samples that come with the package: beside `src`, and beside the bundled file. */
const library = join(import.meta.dirname, import.meta.dirname.endsWith('dist') ? '../samples' : '../../samples')

export const sampleCommands: readonly Command[] = [
  {
    name: 'samples create',
    summary: 'Writes a small web app that signs in with a wallet, and shows balances and a card',
    detail: 'It uses @purser/client and Vite, and no framework.',
    arguments: [{ name: 'folder', description: 'A new or empty folder' }],
    options: [
      { name: 'client', value: 'file', description: 'A tarball of @purser/client, instead of the published package' },
    ],
    examples: ['samples create my-app'],
    async run({ out, configuration }, given) {
      const folder = resolve(given.text('folder'))
      const client = given.optional('client')
      if (client !== undefined && !existsSync(client))
        throw new Failure(`${client} does not exist. Name the tarball that "npm pack -w client" wrote.`)
      await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
        throw new Failure(`${folder} cannot be created (${error.code}). Name another folder.`)
      })
      if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty. Name a new folder.`)
      await cp(join(library, 'web-app'), folder, { recursive: true })
      if (client !== undefined) await useClient(folder, resolve(client))
      const url = await configuration.get('url')
      await writeFile(join(folder, '.env'), `VITE_PURSER_URL=${url}\n`)
      out.result({ folder, url }, [
        `The app is in ${folder}, for the service at ${url}. Start it there:`,
        '',
        '  npm install',
        '  npm run dev',
      ])
    },
  },
]

async function useClient(folder: string, tarball: string): Promise<void> {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  const dependencies = { ...manifest.dependencies, '@purser/client': `file:${tarball}` }
  await writeFile(file, `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`)
}
