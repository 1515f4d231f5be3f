import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'
import { findMisspelled } from './misspelled.ts'

test.each([
  ['TREASURRY_100', 'TREASURY_100'],
  ['SANDBOX_PASWORD', 'SANDBOX_PASSWORD'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['SECRETS', 'SECRET'],
  ['SECRET_FIL', 'SECRET_FILE'],
  ['RPC_URLS_100', 'RPC_URL_100'],
  ['DAILY_WITHDRAWL_CAP_EUR', 'DAILY_WITHDRAWAL_CAP_EUR'],
  ['SUMSUB_APP_TOKN', 'SUMSUB_APP_TOKEN'],
  ['KMS_KEY_ARN', 'KMS_KEY_ID'],
])('%s probably means %s', (variable, setting) => {
  expect(findMisspelled({ [variable]: 'x' })).toEqual([{ variable, setting }])
})

test('settings and the variables of other programs are not misspelled', () => {
  const shell = ['TERM', 'HOME', 'PATH', 'USER', 'LANG', 'PWD', 'SHELL', 'SHLVL', 'MAIL', 'HOSTNAME', 'LOGNAME', '_']
  const tools = ['NODE_ENV', 'NODE_OPTIONS', 'AWS_REGION', 'PGHOST', 'INIT_CWD', 'npm_config_cache', 'CI', 'EDITOR']
  const ours = ['TERMS', 'SECRET_FILE', 'RPC_URL_100', 'RPC_URL_100_FILE', 'TREASURY_1', 'DAILY_WITHDRAWAL_CAP_EUR']
  expect(findMisspelled(Object.fromEntries([...shell, ...tools, ...ours].map((name) => [name, 'x'])))).toEqual([])
})

test('a rejected configuration also names its misspelled variables', () => {
  const read = () => readConfig({ HOST: '0.0.0.0', SANDBOX_PASWORD: 'hunter2' })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow('SANDBOX_PASWORD is not a setting. The closest one is SANDBOX_PASSWORD.')
  expect(read).not.toThrow('hunter2')
})
