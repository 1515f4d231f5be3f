import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isSigned, signBody, signRequest } from '../../platform/crypto/body-signature.ts'
import { declineMessages } from '../transactions/rules.ts'
import { responseCodes } from './rules.ts'

const text = readFileSync(join(import.meta.dirname, '../../../../docs/issuer-gateway.md'), 'utf8')

test('the code makes the signature of the documented test vector', () => {
  const line = (name: string) => new RegExp(`^${name} +(.*)$`, 'm').exec(text)?.[1] ?? ''
  const [secret, timestamp, body, signature] = ['secret', 'timestamp', 'body', 'signature'].map(line)
  expect(`v1=${signBody(secret ?? '', timestamp ?? '', body ?? '')}`).toBe(signature)
  const candidates = [(signature ?? '').slice(3)]
  expect(isSigned(secret ?? '', timestamp ?? '', body ?? '', candidates)).toBe(true)
  expect(isSigned(secret ?? '', `${timestamp}0`, body ?? '', candidates)).toBe(false)
  expect(isSigned(`${secret}x`, timestamp ?? '', body ?? '', candidates)).toBe(false)
  expect(isSigned(secret ?? '', timestamp ?? '', `${body}\n`, candidates)).toBe(false)
})

test('the code signs a request to the processor as docs/issuer-gateway.md documents it', () => {
  const line = (name: string) => new RegExp(`^outbound-${name} +(.*)$`, 'm').exec(text)?.[1] ?? ''
  const [method = '', path = ''] = line('request').split(' ')
  const request = { method, path, timestamp: line('timestamp'), body: line('body') }
  expect(`v2=${signRequest(line('secret'), request)}`).toBe(line('signature'))
})

test('docs/issuer-gateway.md lists every decline code with its text and response code', () => {
  const rows = [...text.matchAll(/^\| `([0-9A-Z]{3})` \| ([^|]+) \| `([0-9]{2})` \|/gm)]
  expect(Object.fromEntries(rows.map(([, code, , response]) => [code, response]))).toEqual(responseCodes)
  const said = Object.fromEntries(rows.map(([, code, sentence]) => [code, sentence]))
  expect(said).toMatchObject(declineMessages)
})
