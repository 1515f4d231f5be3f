import { join } from 'node:path'
import { build } from 'rolldown'

/** Builds the command line into a folder, as `purser.js` and the parts that it loads when it needs them. */
export async function buildProgram(folder: string): Promise<void> {
  await build({
    input: join(import.meta.dirname, 'src/main.ts'),
    platform: 'node',
    output: { dir: folder, entryFileNames: 'purser.js', minify: true },
  })
}
