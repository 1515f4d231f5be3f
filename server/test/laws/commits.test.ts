import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const script = join(import.meta.dirname, '../../scripts/check-commits.ts')
const folder = mkdtempSync(join(tmpdir(), 'commits-'))
afterAll(() => rmSync(folder, { recursive: true }))

function check() {
  const { status, stdout } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
  return [status, stdout.trim().split('\n').at(-1)]
}

function commit(subject: string, { date = '2027-01-01T00:00:00Z', author = 'Ada' } = {}): void {
  const person = ['-c', `user.name=${author}`, '-c', 'user.email=ada@example.org']
  execFileSync('git', [...person, 'commit', '--quiet', '--allow-empty', '--date', date, '-m', subject], { cwd: folder })
}

test('the check of commits rejects long or unconventional subjects, except old ones and long ones by Dependabot, and checks nothing without a Git history', () => {
  expect(check()).toEqual([0, 'no commits checked, because this copy has no Git history'])
  execFileSync('git', ['init', '--quiet', folder])
  commit('An older subject', { date: '2026-01-01T00:00:00Z' })
  commit(`feat(cards)!: ${'x'.repeat(58)}`)
  commit("Merge branch 'cards'")
  const author = 'dependabot[bot]'
  commit('build(deps-dev): bump the development group across 3 directories with 12 updates', { author })
  expect(check()).toEqual([0, '2 commits checked, 0 subjects rejected'])
  commit('Bump zod', { author })
  commit(`feat(cards)!: ${'x'.repeat(59)}`)
  commit('Report a card')
  commit('story: report a card')
  expect(check()).toEqual([1, '6 commits checked, 4 subjects rejected'])
})
