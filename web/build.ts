import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { buildDocs } from './docs/build.ts'

/**
 * Builds the pages and the documentation into web/dist, or into the folder of the argument. A rename replaces the
 * old folder with the finished one. Several starts at the same time therefore never read half a build.
 */
const root = import.meta.dirname
const target = resolve(process.argv[2] ?? join(root, 'dist'))
const fresh = `${target}-${randomUUID()}`

/** Compresses the files for browsers during the build, so that the service does not compress them. */
async function compress(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true })
  const texts = files.filter((file) => /\.(html|json|js|css|svg)$/.test(file))
  await Promise.all(
    texts.map(async (file) => {
      const bytes = await readFile(join(folder, file))
      const [br, gz] = await Promise.all([
        promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
        promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
      ])
      await Promise.all([writeFile(join(folder, `${file}.br`), br), writeFile(join(folder, `${file}.gz`), gz)])
    }),
  )
}

try {
  await Promise.all([
    build({
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: false },
    }),
    buildDocs(join(fresh, 'docs')),
  ])
  await compress(fresh)
  const old = `${target}-${randomUUID()}`
  await rename(target, old).catch(() => undefined)
  await rename(fresh, target)
  await rm(old, { recursive: true, force: true })
} finally {
  await rm(fresh, { recursive: true, force: true })
}
