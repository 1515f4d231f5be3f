import { expect, test } from 'vitest'
import { isSentTo } from './own-host.ts'

const isOnConsole = (host?: string) => isSentTo({ headers: { host } }, 'https://console.example:8443')

test('a request has the origin of a URL only if its host names exactly that origin', () => {
  expect(isOnConsole('console.example:8443')).toBe(true)
  expect(isOnConsole('CONSOLE.example:8443')).toBe(true)
  for (const host of [undefined, '', 'console.example', 'console.example:8444', 'x.console.example:8443', '[']) {
    expect(isOnConsole(host), host).toBe(false)
  }
})

test('a host longer than any domain is not parsed', () => {
  expect(isOnConsole(`console.example:${'0'.repeat(10)}8443`)).toBe(true)
  expect(isOnConsole(`console.example:${'0'.repeat(300)}8443`)).toBe(false)
})
