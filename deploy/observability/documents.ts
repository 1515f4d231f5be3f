import { stringify } from 'yaml'
import { createMetrics } from '../../server/src/platform/observability/metrics.ts'
import { type Alert, alerts } from './alerts.ts'
import { dashboards, type Panel } from './dashboards.ts'

/** The definition of a metric in the registry of the service. */
type Definition = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
}

/** Returns the files that `npm run build` writes from the metrics, the alerts and the dashboards. */
export async function observabilityDocuments(): Promise<Record<string, string>> {
  const definitions = await metricDefinitions()
  return {
    'deploy/observability/alerts.yml': alertRules(),
    'deploy/observability/alerts.test.yml': alertTests({ areLong: false }),
    'deploy/observability/alerts-long.test.yml': alertTests({ areLong: true }),
    'deploy/observability/queries.yml': queryRules(definitions),
    'docs/metrics.md': metricsDocument(definitions),
    ...Object.fromEntries(
      dashboards.map(({ name, title, panels }) => [
        `deploy/observability/grafana/${name}.json`,
        `${JSON.stringify(grafanaDashboard(name, title, panels, definitions), null, 2)}\n`,
      ]),
    ),
  }
}

async function metricDefinitions(): Promise<readonly Definition[]> {
  const metrics = createMetrics()
  metrics.watchConnections(() => new Map())
  const typeOf = new Map((await metrics.registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]))
  return metrics.registry.getMetricsAsArray().map(({ name, help, ...rest }) => {
    const type = typeOf.get(name)
    if (type !== 'counter' && type !== 'gauge' && type !== 'histogram') throw new Error(`${name} is a ${type}.`)
    return { name, help, type, labels: 'labelNames' in rest && Array.isArray(rest.labelNames) ? rest.labelNames : [] }
  })
}

const generated = (from: string) => `# Generated from ${from} by npm run build; do not edit.\n`

function alertRules(): string {
  const groups = [...Map.groupBy(alerts, ({ group }) => group)].map(([group, rows]) => ({
    name: `purser-${group}`,
    rules: rows.map((alert) => ({
      alert: alert.name,
      expr: alert.expr,
      ...(alert.for === undefined ? {} : { for: alert.for }),
      labels: { severity: alert.severity },
      annotations: { summary: alert.summary, runbook_url: `{{ $externalLabels.purser }}${runbookOf(alert)}` },
    })),
  }))
  return generated('alerts.ts') + stringify({ groups }, { lineWidth: 160 })
}

/** Returns the section of an alert on the documentation pages that the service serves. */
const runbookOf = ({ name }: Alert) => `/docs/runbooks/#${name.toLowerCase()}`

const minutesPerDay = 1_440
const isLong = ({ test }: Alert) => (test.after ?? 0) >= minutesPerDay

/**
 * Returns two or more tests for each alert, which fires in all but one of them. Promtool evaluates every alert at every
 * interval, so tests over a day or longer have a file of their own, with fewer evaluations. Their `after` is a multiple
 * of ten minutes.
 */
function alertTests({ areLong }: { readonly areLong: boolean }): string {
  const url = 'https://purser.example'
  const chosen = alerts.filter((alert) => isLong(alert) === areLong)
  const tests = chosen.flatMap((alert) => {
    const { fires, quiet, alsoFires, labels = {}, after = 25 } = alert.test
    const summary = alert.summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_all, label) => labels[label] ?? '')
    const expected = {
      exp_labels: { severity: alert.severity, ...labels },
      exp_annotations: { summary, runbook_url: url + runbookOf(alert) },
    }
    return [fires, quiet, ...(alsoFires ? [alsoFires] : [])].map((series) => ({
      name: `${alert.name} ${series === quiet ? 'is quiet' : 'fires'}`,
      interval: '1m',
      external_labels: { purser: url },
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      alert_rule_test: [
        { eval_time: `${after}m`, alertname: alert.name, exp_alerts: series === quiet ? [] : [expected] },
      ],
    }))
  })
  const head = { rule_files: ['alerts.yml'], evaluation_interval: areLong ? '10m' : '1m' }
  return generated('alerts.ts') + stringify({ ...head, tests }, { lineWidth: 160 })
}

type Query = { readonly expr: string; readonly legend: string }

/** Returns the queries of a panel, in the form that the type of its metric asks for. */
function queriesOf({ metric, by, where = '' }: Panel, definition: Definition): Query[] {
  const labels = by ?? definition.labels
  const legend = labels.map((label) => `{{${label}}}`).join(' ') || definition.name
  const chosen = where === '' ? '' : `{${where}}`
  const over = (aggregate: string, more: readonly string[] = []) =>
    [...more, ...labels].length === 0 ? aggregate : `${aggregate} by (${[...more, ...labels].join(', ')})`
  switch (definition.type) {
    case 'counter':
      return [{ expr: `${over('sum')} (rate(${metric}${chosen}[$__rate_interval]))`, legend }]
    case 'gauge': {
      // Each process has connections of its own. Other gauges are shown by process, or as the maximum over the
      // processes.
      const aggregate = metric === 'purser_database_connections' ? 'sum' : 'max'
      return [{ expr: `${over(aggregate)} (${metric}${chosen})`, legend }]
    }
    case 'histogram':
      if (labels.length > 0) {
        return [{ expr: `${over('sum')} (rate(${metric}_count${chosen}[$__rate_interval]))`, legend }]
      }
      return [0.5, 0.99, 0.999].map((quantile) => ({
        expr: `histogram_quantile(${quantile}, ${over('sum', ['le'])} (rate(${metric}_bucket${chosen}[$__rate_interval])))`,
        legend: `p${quantile * 100}`,
      }))
  }
}

function unitOf({ metric }: Panel, { type }: Definition, isRate: boolean): string {
  if (metric === 'process_cpu_seconds_total') return 'percentunit'
  if (metric.endsWith('_bytes')) return 'bytes'
  if (type === 'counter' || isRate) return 'ops'
  return metric.endsWith('_seconds') ? 's' : 'short'
}

function grafanaDashboard(name: string, title: string, panels: readonly Panel[], definitions: readonly Definition[]) {
  const [width, height] = [12, 8]
  // The variable that the reader of the dashboard chooses.
  const datasource = { type: 'prometheus', uid: '$datasource' }
  return {
    uid: `purser-${name}`,
    title,
    tags: ['purser'],
    timezone: 'browser',
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map((panel, i) => {
      const definition = definitionOf(panel, definitions)
      const queries = queriesOf(panel, definition)
      const isRate = definition.type === 'histogram' && queries.length === 1
      return {
        id: i + 1,
        type: 'timeseries',
        title: panel.title ?? titleOf(definition),
        description: definition.help,
        datasource,
        gridPos: { x: (i % 2) * width, y: Math.floor(i / 2) * height, w: width, h: height },
        fieldConfig: { defaults: { unit: unitOf(panel, definition, isRate), min: 0 }, overrides: [] },
        options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
        targets: queries.map(({ expr, legend }, index) => ({
          refId: String.fromCharCode(65 + index),
          datasource,
          expr,
          legendFormat: legend,
        })),
      }
    }),
  }
}

function definitionOf({ metric }: Panel, definitions: readonly Definition[]): Definition {
  const found = definitions.find(({ name }) => name === metric)
  if (found === undefined) throw new Error(`A dashboard shows ${metric}, which no metric defines.`)
  return found
}

/**
 * The first part of the help text: "Open withdrawals and returns: pending or processing." becomes "Open withdrawals and
 * returns".
 */
const titleOf = ({ help }: Definition) => help.split(/[:,.(]/, 1)[0]?.trim() ?? help

/** Returns every query of the dashboards as a recording rule, so that `promtool check rules` reads it. */
function queryRules(definitions: readonly Definition[]): string {
  const groups = dashboards.map(({ name, panels }) => ({
    name: `purser-dashboard-${name}`,
    rules: panels.flatMap((panel, i) =>
      queriesOf(panel, definitionOf(panel, definitions)).map(({ expr }, j) => ({
        record: `dashboard:${name}:${i}:${j}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      })),
    ),
  }))
  return generated('dashboards.ts') + stringify({ groups }, { lineWidth: 160 })
}

function metricsDocument(definitions: readonly Definition[]): string {
  const rows = definitions
    .filter(({ name }) => name.startsWith('purser_'))
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ name, type, labels, help }) => {
      const watching = alerts
        .filter(({ expr }) => new RegExp(`\\b${name}(_bucket|_count|_sum)?\\b`).test(expr))
        .map((alert) => `[${alert.name}](runbooks.md#${alert.name.toLowerCase()})`)
      const shown = labels.length === 0 ? name : `${name}{${labels.join(',')}}`
      return `| \`${shown}\` | ${type} | ${help} | ${watching.join(', ') || '–'} |`
    })
  return `# Metrics

Generated from \`server/src/platform/observability/metrics.ts\` and \`deploy/observability/alerts.ts\` by \`npm run build\`; do not edit.

Each process counts separately, so add counters up. Workers read the gauges about money, reviews, holds, payouts and webhooks
from the database about once a minute. Use their maximum. Durations are in seconds, and amounts are in whole tokens. Labels are route patterns, codes, chains and
tokens, never ids. Only the address identifies a token, because several tokens may share a symbol.
Every process also has the usual metrics of Node.js, whose names begin with \`process_\` and \`nodejs_\`.

| Metric | Type | Meaning | Alerts |
|---|---|---|---|
${rows.join('\n')}
`
}
