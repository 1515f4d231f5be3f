import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generatePrivateKey } from 'viem/accounts'
import { expect, test } from 'vitest'
import { runCli } from '../../../cli/src/cli.ts'
import { optionsOf } from '../../../cli/src/command.ts'
import { commands } from '../../../cli/src/commands.ts'
import { timeOf } from '../../../cli/src/durations.ts'
import { Output } from '../../../cli/src/output.ts'
import { useCli } from '../support/cli.ts'
import { newPartner } from '../support/partner.ts'
import { useService } from '../support/service.ts'

const service = useService()
const cli = useCli(() => ({ PURSER_URL: service.url }))

test('a developer pays, clears and refunds in the sandbox with a few words', async () => {
  const user = await cli.json('sandbox user')
  expect(user).toMatchObject({ userId: expect.any(String), cardId: expect.any(String) })
  expect(await cli.json('sandbox deposit 25')).toMatchObject({ depositId: expect.any(String) })
  expect((await cli("sandbox pay 9.99 --merchant 'Corner Shop'")).stdout).toMatch(/^authorization \w{6}: approved\n$/)
  expect((await cli('sandbox clear 12.50')).stdout).toMatch(/^clearing \w{6}: approved\n$/)
  expect((await cli('sandbox refund 2.50')).stdout).toMatch(/^refund \w{6}: approved\n$/)
  const { data } = await cli.json('api GET /user/statement?limit=10')
  expect(data.map((item: any) => [item.kind ?? item.type, item.status])).toEqual([
    ['Refund', 'settled'],
    ['Payment', 'settled'],
    ['deposit', 'approved'],
  ])
  const declined = await cli('sandbox pay 1000')
  expect([declined.code, declined.stdout]).toEqual([
    0,
    expect.stringMatching(/^authorization \w{6}: denied \(\w+: .+\)\n$/),
  ])
  const { now } = await cli.json('sandbox clock 1h')
  expect(Date.parse(now)).toBeGreaterThan(Date.now() + 3000_000)
})

test('a message for another card does not use the code of the last payment', async () => {
  const { cardId: other } = await cli.json('sandbox user')
  await cli.json('sandbox user')
  await cli.json('sandbox deposit 25')
  const { authorization_code: code } = await cli.json('sandbox pay 5')
  const cleared = await cli.json(`sandbox clear 5 --card ${other}`)
  expect(cleared.authorization_code).not.toBe(code)
  expect(await cli.json('sandbox clear 5')).toMatchObject({ authorization_code: code })
})

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T09:30Z', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31T09:30:00.5+02:00', '2026-01-31T07:30:00.500Z'],
])('%s is the time %s on every machine', (text, time) => {
  expect(timeOf(text)).toBe(time)
})

test.each(['2026-01-31T09:30:00', '2026-01-31 09:30', 'January 31, 2026', '2026', '2026-13-01'])(
  '"%s" is not accepted as a time, because it is incomplete, depends on the machine or does not exist',
  (text) => {
    expect(() => timeOf(text)).toThrow(`"${text}" is not a time. Write it like 2026-01-31 or 2026-01-31T09:30:00Z.`)
  },
)

test('an access token for other programs comes from the current sandbox user or from a wallet', async () => {
  expect(await cli('token', { env: { PURSER_CONFIG: '/nowhere/config.json' } })).toMatchObject({
    code: 1,
    stderr: 'No wallet is set. Set PURSER_WALLET_KEY, or run: purser sandbox user\n',
  })
  const { userId } = await cli.json('sandbox user')
  const { stdout } = await cli('token')
  expect((await service.request('GET', '/user', { token: stdout.trim() })).body.userId).toBe(userId)
  const stranger = await cli.json('token', { env: { PURSER_WALLET_KEY: generatePrivateKey() } })
  expect((await service.request('GET', '/user', { token: stranger.token })).body).toEqual({
    success: false,
    error: 'NOT_REGISTERED',
  })
})

test('every result goes to standard output and every problem to standard error, with its exit code', async () => {
  expect(await cli('api GET /health')).toEqual({ code: 0, stdout: '{\n  "status": "ok"\n}\n', stderr: '' })
  const missing = await cli('api GET /nowhere')
  expect([missing.code, missing.stdout]).toEqual([1, ''])
  expect(missing.stderr).toMatch(/404 NOT_FOUND: No operation has this path\. .+ \(request [0-9a-f-]{36}\)\n$/)
  const inJson = await cli('api GET /nowhere --json')
  expect(JSON.parse(inJson.stderr)).toMatchObject({ code: 'NOT_FOUND', status: 404, requestId: expect.any(String) })
  for (const words of [
    '',
    'unknown',
    'api',
    'api FETCH /health',
    'api GET health',
    'sandbox clock soon',
    'api GET /a --b',
  ]) {
    expect(await cli(words), words).toMatchObject({ code: 2, stdout: '' })
  }
  const unreachable = await cli('api GET /health --url http://127.0.0.1:1')
  expect([unreachable.code, unreachable.stdout]).toEqual([1, ''])
})

test('a request takes its body from an argument, a file or standard input', async () => {
  const file = join(cli.home(), 'body.json')
  await writeFile(file, '{"advanceSeconds":0}')
  for (const [data, input] of [
    [`'{"advanceSeconds":0}'`, ''],
    [`@${file}`, ''],
    ['-', '{"advanceSeconds":0}'],
  ] as const) {
    expect(await cli.json(`api POST /sandbox/clock --data ${data}`, { input })).toHaveProperty('now')
  }
  expect(await cli('api POST /sandbox/clock --data {')).toMatchObject({ code: 2 })
  expect(await cli(`api POST /sandbox/clock --data @${file}.not`)).toMatchObject({ code: 1 })
  expect((await cli('api GET /health --include')).stderr).toContain('x-request-id: ')
})

test('secrets are stored in a file that only its owner can read, and are never shown', async () => {
  const partner = await newPartner(service)
  const key = await partner.key('partner:read')
  const path = join(cli.home(), '.config/purser/config.json')
  expect(await cli(`config set api-key ${key}`)).toMatchObject({ code: 2 })
  expect(await cli('config set api-key', { input: `${key}\n` })).toMatchObject({ code: 0 })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const shown = await cli('config show')
  expect(shown.stdout).toContain('(set)')
  expect(shown.stdout + shown.stderr).not.toContain(key)
  expect(await cli.json('api GET /partner')).toMatchObject({ partnerId: partner.partnerId })
  await chmod(path, 0o644)
  expect(await cli('config show')).toMatchObject({ code: 1, stderr: expect.stringContaining('chmod 600') })
  await chmod(path, 0o600)
  await cli('config unset api-key')
  expect(await readFile(path, 'utf8')).not.toContain(key)
  const file = join(cli.home(), 'key.txt')
  await writeFile(file, `${key}\n`)
  expect(await cli.json('api GET /partner', { env: { PURSER_API_KEY_FILE: file } })).toHaveProperty('partnerId')
})

const plain = { isJson: false, isColored: false, columns: Number.POSITIVE_INFINITY, hasProgress: false }

test('text that strangers choose cannot control the terminal, and only a terminal gets colors', () => {
  const written: string[] = []
  const write = (text: string) => void written.push(text)
  const [uncolored, colored] = [false, true].map((isColored) => new Output({ ...plain, isColored, write, note: write }))
  const evil = `Evil${String.fromCharCode(27)}[2J Wallet`
  uncolored?.result({}, [evil])
  uncolored?.failure(evil)
  uncolored?.table({}, [['a', evil]])
  uncolored?.table({}, [['one\ntwo', 'b']])
  uncolored?.record({ name: 'one\ntwo: forged' })
  expect(written).toEqual([
    'Evil?[2J Wallet\n',
    'Evil?[2J Wallet\n',
    'a  Evil?[2J Wallet\n',
    'one?two  b\n',
    'name  one?two: forged\n',
  ])
  colored?.result({}, ['approved'], 'green')
  expect(written.at(-1)?.split('approved')).toEqual(
    ['32', '39'].map((code, i) => `${String.fromCharCode(27)}[${code}m${i === 1 ? '\n' : ''}`),
  )
})

test('the error for an expired access token contains the error code and names the variable to set', async () => {
  await cli.json('sandbox user')
  const token = (await cli('token')).stdout.trim()
  await service.advance(24 * 3600)
  expect(await cli('api GET /user', { env: { PURSER_TOKEN: token } })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^The service rejects your access token \(TOKEN_EXPIRED\)\. Set PURSER_TOKEN to a new/,
    ),
  })
})

test('columns are aligned beside names of any script', () => {
  const lines: string[] = []
  const write = (text: string) => void lines.push(text)
  const names = ['Zoë', 'Zoe\u0308', '山田太郎', '김철수', 'Ａ', '🎉', '🇩🇪', '©']
  new Output({ ...plain, write, note: write }).table(
    {},
    names.map((name) => [name, '|']),
  )
  // Terminals show ideographs, full-width letters and emoji in two columns, and combining marks in none.
  expect(lines.map((line) => line.match(/ +/)?.[0].length)).toEqual([7, 7, 2, 4, 8, 8, 8, 9])
})

/** Returns the help of a command, in this process: there are many commands. */
async function helpOf(name: string) {
  const text = { stdout: '', stderr: '' }
  const nothing = async () => ''
  const code = await runCli([...name.split(' '), '--help'], {
    env: {},
    ...plain,
    signal: new AbortController().signal,
    unread: new AbortController().signal,
    write: (part) => {
      text.stdout += part
    },
    note: (part) => {
      text.stderr += part
    },
    ...{ readInput: nothing, ask: nothing, askSecret: nothing },
  })
  return { code, ...text }
}

test('help, completion and the docs page name every command and option of the table', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/cli.md'), 'utf8')
  const bash = (await cli('completion bash')).stdout
  const fish = (await cli('completion fish')).stdout
  for (const command of commands) {
    const { name, summary } = command
    const help = await helpOf(name)
    expect(help, name).toMatchObject({ code: 0, stderr: '' })
    const words = help.stdout.replace(/\s+/g, ' ')
    expect(words).toContain(summary)
    expect(page).toContain(`### \`purser ${name}`)
    expect(bash).toContain(name.split(' ').at(-1))
    for (const option of optionsOf(command)) {
      for (const text of [help.stdout, page, bash]) expect(text, name).toContain(`--${option.name}`)
      expect(fish, name).toContain(`-l ${option.name}`)
      if (option.isRequired) expect(words, name).toContain(`${option.description}. Required`)
    }
  }
})

test('commands without JSON do not offer --json and reject it, and the version can be JSON', async () => {
  const bash = (await cli('completion bash')).stdout
  for (const [name, words] of [
    ['up', 'up'],
    ['completion', 'completion bash'],
  ]) {
    expect((await helpOf(name ?? '')).stdout).not.toContain('--json')
    expect(new RegExp(`"${name}"\\) words="(.+?)"`).exec(bash)?.[1]).not.toContain('--json')
    const { code, stdout, stderr } = await cli(`${words} --json`)
    expect([code, stdout, JSON.parse(stderr)]).toEqual([2, '', { error: "unknown option '--json'" }])
  }
  expect(await cli('--version --json')).toEqual({ code: 0, stdout: '{"version":"0.1.0"}\n', stderr: '' })
})

test('Bash completes commands, their options, and the choices of both', async () => {
  const script = (await cli('completion bash')).stdout
  const file = join(cli.home(), 'completion.bash')
  const complete = async (...words: string[]) => {
    const line = `COMP_WORDS=(${words.map((word) => `"${word}"`).join(' ')}); COMP_CWORD=${words.length - 1}`
    await writeFile(file, `${script}\n${line}\n_purser\necho "\${COMPREPLY[@]}"\n`)
    return String(execFileSync('bash', [file]))
      .trim()
      .split(' ')
  }
  expect(await complete('purser', 'sand')).toEqual(['sandbox'])
  expect(await complete('purser', 'sandbox', 'c')).toEqual(['clear', 'clock', 'crash'])
  expect(await complete('purser', 'sandbox', 'pay', '9.99', '--mer')).toEqual(['--merchant'])
  expect(await complete('purser', 'completion', 'z')).toEqual(['zsh'])
  expect(await complete('purser', 'sandbox', 'deposit', '25', '--result', 'a')).toEqual(['approved'])
  expect(await complete('purser', 'webhooks', 'deliveries', 'id', '--status', 'd')).toEqual(['delivered', 'dead'])
  expect(await complete('purser', 'up', '--mode', '')).toEqual(['sandbox', 'production'])
  // Free text has no choices.
  expect(await complete('purser', 'sandbox', 'pay', '9.99', '--merchant', '')).toEqual([''])
})

/** CI has every shell. A developer may lack some. */
const lacks = (shell: string) =>
  process.env['REQUIRE_LANGUAGES'] === undefined && spawnSync(shell, ['--version']).status !== 0

test.skipIf(lacks('zsh'))('the Zsh completion is registered, whether or not compinit has run before', async () => {
  const file = join(cli.home(), 'completion.zsh')
  await writeFile(file, (await cli('completion zsh')).stdout)
  const setUp = `autoload -U compinit && compinit -u -d ${join(cli.home(), 'zcompdump')}`
  for (const start of [':', setUp]) {
    const shown = execFileSync('zsh', ['-fc', `${start}; source ${file}; print -r -- $_comps[purser]`], {
      env: { PATH: process.env['PATH'], HOME: cli.home() },
    })
    expect(String(shown).trim()).toBe('_bash_complete -F _purser')
  }
})

test.skipIf(lacks('fish'))('fish completes commands, their options, and the choices of both', async () => {
  const file = join(cli.home(), 'completion.fish')
  await writeFile(file, (await cli('completion fish')).stdout)
  const complete = (line: string) => {
    const shown = execFileSync('fish', ['-c', `source ${file}; complete -C '${line}'`], {
      env: { PATH: process.env['PATH'], HOME: cli.home() },
    })
    return String(shown)
      .trim()
      .split('\n')
      .map((each) => each.split('\t')[0])
  }
  expect(complete('purser sandbox c')).toEqual(['clear', 'clock', 'crash'])
  expect(complete('purser sandbox deposit 25 --result a')).toEqual(['approved'])
  expect(complete('purser completion z')).toEqual(['zsh'])
})

test('fish completes the options of a group only after the words of that group', async () => {
  const fish = (await cli('completion fish')).stdout
  expect(fish).toContain(`-n '__purser_is "webhooks"' -a resend`)
  expect(fish).toContain(`-n '__purser_begins "sandbox deposit"' -l result -x -a 'approved rejected pending'`)
  expect(fish).toContain(`-n '__purser_begins "sandbox pay"' -l merchant -r`)
})
