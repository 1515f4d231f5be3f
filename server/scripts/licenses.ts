import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * A plugin of Rolldown and Vite. It writes `THIRD-PARTY-LICENSES.txt` beside a bundle, because most licenses must be
 * part of every copy of the code. The file has the license of every package in the bundle, and of the packages in the
 * folders `copied`, whose files are shipped outside the bundle.
 */
export function thirdPartyLicenses(copied: readonly string[] = []): Plugin {
  return {
    name: 'third-party-licenses',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const packages = modules.flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [])
      const notices = [...new Set([...packages, ...copied])].map(readNotice)
      // Many packages share one text.
      const parts = [...Map.groupBy(notices, ({ text }) => text)].map(([text, same]) =>
        [...[...new Set(same.map(({ title }) => title))].toSorted(), '', text].join('\n'),
      )
      const source = `${parts.toSorted().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source })
    },
  }
}

function readNotice(folder: string): { title: string; text: string } {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return {
    title: `${name} ${version} (${license})`,
    text: texts.join('\n\n') || 'The package contains no license text.',
  }
}
