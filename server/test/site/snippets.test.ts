import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settings } from '../../../cli/src/settings.ts'
import { allSettings } from '../../src/config/document.ts'
import { refusals } from '../../src/lib/errors.ts'
import { startService } from '../support/service.ts'
import { runSnippets } from '../support/snippets.ts'
import { inSession } from './blocks.ts'
import { sessions } from './sessions.ts'

const root = join(import.meta.dirname, '../../..')

test.each(Object.entries(sessions))(
  'the commands and programs of %s work one after the other',
  async (document, { expected, options, prepare }) => {
    const service = await startService(await options?.())
    try {
      const { stop, ...ready } = (await prepare?.(service)) ?? {}
      try {
        const output = await runSnippets(inSession(document), { url: service.url, ...ready })
        for (const part of expected) expect(output).toMatch(part)
      } finally {
        await stop?.()
      }
    } finally {
      await service.stop()
    }
  },
)

test('the guides and concepts name only error codes and settings that exist', () => {
  const variables = [...allSettings, ...Object.values(settings)].map((each) =>
    'variable' in each ? each.variable : each.name,
  )
  const known = new Set([...Object.keys(refusals), ...variables])
  const documents = Object.keys(sessions).filter((document) =>
    /^docs\/(guides|concepts|quickstart|partners)/.test(document),
  )
  for (const document of documents) {
    const named = [...readFileSync(join(root, document), 'utf8').matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)]
    expect(
      named.flatMap(([, name = '']) => (known.has(name) ? [] : [name])),
      document,
    ).toEqual([])
  }
})
