import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { CronJob, Job } from 'kubernetes-models/batch/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Namespace, Service, ServiceAccount } from 'kubernetes-models/v1'
import { parseAllDocuments } from 'yaml'

/**
 * Validates the manifests by the schemas of Kubernetes. A field that no schema reads is unknown, and also a problem.
 * Run:  node deploy/checks/kubernetes.ts [folder]
 */
const folder = process.argv[2] ?? join(import.meta.dirname, '../kubernetes')

type Model = { readonly kind: string; readonly apiVersion: string; readonly prototype: { validate(): void } }
const models: readonly Model[] = [
  ...[ConfigMap, CronJob, Deployment, HorizontalPodAutoscaler, Job, Namespace, NetworkPolicy, PodDisruptionBudget],
  ...[Service, ServiceAccount],
]

/** Wraps an object so that reading a field takes the field's path out of `unread`. */
function observe(value: unknown, path: string, unread: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each, i) => observe(each, `${path}/${i}`, unread))
  const fields = Object.entries(value).map(([name, each]) => {
    unread.add(`${path}/${name}`)
    return [name, observe(each, `${path}/${name}`, unread)] as const
  })
  return new Proxy(Object.fromEntries(fields), {
    get(target, name) {
      unread.delete(`${path}/${String(name)}`)
      return Reflect.get(target, name)
    },
  })
}

function problemsOf(manifest: Readonly<Record<string, unknown>>): string[] {
  const model = models.find(
    ({ kind, apiVersion }) => kind === manifest['kind'] && apiVersion === manifest['apiVersion'],
  )
  if (model === undefined) return [`${manifest['apiVersion']} ${manifest['kind']} has no schema here`]
  const unread = new Set<string>()
  const observed = observe(manifest, '', unread)
  try {
    model.prototype.validate.call(observed)
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
  return [...unread].map((path) => `${path} is not a field`)
}

let count = 0
const problems = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).flatMap((document) => {
    count += 1
    const manifest: Readonly<Record<string, unknown>> = document.toJS()
    return [...document.errors.map(String), ...problemsOf(manifest)].map((each) => `${file}: ${each}`)
  }),
)
for (const problem of problems) console.error(problem)
console.log(`${count} manifests, ${problems.length} problems`)
if (problems.length > 0 || count === 0) process.exitCode = 1
