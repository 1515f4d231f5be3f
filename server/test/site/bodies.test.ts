import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { catalog } from '../../../web/docs/catalog.ts'
import { ConfigError, readConfig } from '../../src/config/config.ts'
import { allSettings } from '../../src/config/document.ts'
import { productionEnv } from '../support/production-env.ts'
import { snippetsOf } from '../support/snippets.ts'

/** The bodies and settings that the documents show. */

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const production = { ...productionEnv, DATABASE_URL: 'postgres://localhost/purser' }

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
const { webhooks, ...api } = JSON.parse(read('openapi.json'))
ajv.addSchema({ $id: 'document', ...api })
const satisfies = (pointer: string, value: unknown) => {
  const validate = ajv.getSchema(`document#${pointer}`)
  if (validate === undefined) throw new Error(`the OpenAPI document has no ${pointer}`)
  expect(validate(value), `${pointer}: ${JSON.stringify(validate.errors)}`).toBe(true)
}

/** Returns the values of the JSON blocks of a document. A block may have several, one after the other. */
const valuesIn = (document: string, text?: string): any[] =>
  snippetsOf(document, text)
    .filter(({ language }) => language === 'json')
    .flatMap(({ code }) => JSON.parse(`[${code.replaceAll(/\}\n\{/g, '},{')}]`))

const bodyOf = (path: string) =>
  `/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/post/requestBody/content/application~1json/schema`
function responseOf(path: string): string {
  const own = `/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/post/responses/200`
  const { $ref } = api.paths[path].post.responses[200]
  return `${$ref?.slice(1) ?? own}/content/application~1json/schema`
}

/** The block of a document that contains a text. */
function blockWith(document: string, part: string): string {
  const block = snippetsOf(document).find(({ code }) => code.includes(part))
  if (block === undefined) throw new Error(`${document} has no block with ${part}`)
  return block.code
}

test('the bodies in the documents satisfy their schemas', () => {
  const bodies: Readonly<Record<string, readonly string[]>> = {
    'docs/callbacks.md': [bodyOf('/webhooks/screening')],
    'docs/issuer-gateway.md': [
      responseOf('/issuer/v1/authorizations'),
      responseOf('/issuer/v1/authorizations'),
      responseOf('/issuer/v1/clearings'),
    ],
    'docs/webhooks.md': ['/components/schemas/DepositEvent'],
  }
  for (const [document, pointers] of Object.entries(bodies)) {
    const values = valuesIn(document)
    expect(values, document).toHaveLength(pointers.length)
    for (const [i, pointer] of pointers.entries()) satisfies(pointer, values[i])
  }
})

test('the event on each page about an event type satisfies the schema of its webhook', () => {
  const pages = catalog().filter(({ path }) => /^events\/./.test(path))
  expect(pages.length).toBeGreaterThan(30)
  for (const { path, markdown } of pages) {
    const [event] = valuesIn(path, markdown)
    expect(`events/${event.type}/`).toBe(path)
    // The schema of a webhook has its name.
    const schema = Object.keys(webhooks).find((name) =>
      api.components.schemas[name].properties.type.enum.includes(event.type),
    )
    satisfies(`/components/schemas/${schema}`, event)
  }
})

test('the service accepts the documented JSON of the settings', () => {
  const [limits, holds, tolerance, screening, ...more] = valuesIn('docs/operations.md').map((value) =>
    JSON.stringify(value),
  )
  expect(more).toEqual([])
  const all = { CARD_LIMITS: limits, HOLD_DAYS: holds, CLEARING_TOLERANCE: tolerance, SCREENING_RULES: screening }
  const { holdDays, clearingTolerance } = readConfig(all)
  expect(readConfig({})).toMatchObject({ holdDays, clearingTolerance })
  for (const [name, value] of Object.entries(all)) {
    const wrong = { [name]: value?.replace(/\d+/, 'many') }
    expect(() => readConfig(wrong), name).toThrow(ConfigError)
  }
})

test('the documented rate limits are the default in production', () => {
  const documented = { RATE_LIMITS: blockWith('docs/operations.md', 'any.address=').trim() }
  expect(readConfig({ ...production, ...documented }).rateLimits).toEqual(readConfig(production).rateLimits)
})

test('the documented settings of production are those that a start needs', () => {
  const block = blockWith('docs/operations.md', 'MODE=production')
  const documented = [...block.matchAll(/\b([A-Z][A-Z_]*(?:<chainId>)?)=/g)].map(([, name = '']) => name)
  expect(documented.length).toBeGreaterThan(20)
  expect(documented.filter((name) => !allSettings.some((setting) => setting.name === name))).toEqual([])
  const values: Readonly<Record<string, string>> = production
  const needed = Object.fromEntries(
    documented.map((name) => name.replace('<chainId>', '100')).map((name) => [name, values[name] ?? '']),
  )
  const reachable: Record<string, string> = {
    ...{ RPC_URL_100: 'https://one.example.com,https://two.example.com', ISSUER_URL: 'https://issuer.example.com' },
  }
  expect(readConfig({ ...needed, ...reachable })).toMatchObject({ mode: 'production', misspelled: [] })
  for (const name of Object.keys(needed).filter((each) => each !== 'MODE')) {
    const { [name]: _left, ...others } = { ...needed, ...reachable }
    expect(() => readConfig(others), name).toThrow(ConfigError)
  }
})

test('the documented targets of Prometheus are those of the systemd units', () => {
  const { scrape_configs: jobs } = parse(blockWith('docs/operations.md', 'scrape_configs'))
  const ports = jobs.flatMap((job: any) => job.static_configs[0].targets).map((target: string) => target.split(':')[1])
  const units = readdirSync(join(root, 'deploy/systemd')).map((file) => read(`deploy/systemd/${file}`))
  const ofUnits = units.flatMap((text) => [...text.matchAll(/METRICS_PORT=(\d+)/g)].map(([, port]) => port))
  const instances = [...read('deploy/README.md').matchAll(/purser-api@(\d+)/g)].map(([, port]) => port)
  expect(jobs.map((job: any) => job.job_name)).toEqual(['purser'])
  expect(ports.toSorted()).toEqual([...instances, ...ofUnits].toSorted())
})
