import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { lockFolder } from './lock-folder.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'purser-lock-'))
  folders.push(folder)
  return folder
}

const platforms: NodeJS.Platform[] = ['linux', 'darwin']

test.each(platforms)('only one process can lock a data folder on %s', async (platform) => {
  const [folder, other] = [await newFolder(), await newFolder()]
  const lock = await lockFolder(folder, platform)
  await expect(lockFolder(folder, platform)).rejects.toThrow(`Another Purser uses ${folder}.`)
  ;(await lockFolder(other, platform)).close()
  lock.close()
  await once(lock, 'close')
  ;(await lockFolder(folder, platform)).close()
})

test.each(platforms)('the lock of a killed process on %s is free', async (platform) => {
  const folder = await newFolder()
  const script = `
    const { lockFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'lock-folder.ts'))})
    await lockFolder(${JSON.stringify(folder)}, ${JSON.stringify(platform)})
    console.log('locked')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  await expect(lockFolder(folder, platform)).rejects.toThrow('Another Purser')
  child.kill('SIGKILL')
  await once(child, 'exit')
  ;(await lockFolder(folder, platform)).close()
})

test('a long wait for a lock does not add a listener with each attempt', async () => {
  const folder = await newFolder()
  const lock = await lockFolder(folder)
  const warnings: string[] = []
  const note = ({ name }: Error) => warnings.push(name)
  process.on('warning', note)
  await expect(lockFolder(folder)).rejects.toThrow('Another Purser')
  process.off('warning', note)
  lock.close()
  expect(warnings).not.toContain('MaxListenersExceededWarning')
})

test.each(platforms)('a process on %s waits for a lock that is about to be free', async (platform) => {
  const folder = await newFolder()
  const lock = await lockFolder(folder, platform)
  const next = lockFolder(folder, platform)
  setTimeout(() => lock.close(), 200)
  ;(await next).close()
})
