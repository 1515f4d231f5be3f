import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

type Parts = Readonly<Record<string, object>>
type Document = { readonly tags: readonly object[]; readonly paths: Parts; readonly components: Parts }

/** Returns the operations of both documents as one. Components with the same name are the same in both. */
export function mergeDocuments<Users extends Document>(users: Users, operators: Document): Users {
  const both = Object.entries(users.components).map(([kind, parts]) => [
    kind,
    { ...parts, ...operators.components[kind] },
  ])
  return {
    ...users,
    tags: [...users.tags, ...operators.tags],
    paths: { ...users.paths, ...operators.paths },
    components: Object.fromEntries(both),
  }
}

/** Returns the text of a document with the operations of both committed documents. */
export function readOpenApi(): string {
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))
  return JSON.stringify(mergeDocuments(read('openapi.json'), read('openapi.operator.json')))
}
