// pure

type Entries = Readonly<Record<string, unknown>>
type Operation = { readonly tags?: readonly string[]; readonly security?: readonly object[] }

/** An OpenAPI document, as far as the choice needs to know it. */
export type ApiDocument = {
  readonly info: object
  readonly servers: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly tags: readonly { readonly name: string }[]
  readonly components: Readonly<Record<string, Entries>>
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly security?: readonly object[]
}

/**
 * Returns the document with the chosen paths only, and with the tags and components that they use. Names stay the same.
 */
export function choosePaths(document: ApiDocument, isChosen: (path: string) => boolean): ApiDocument {
  const { components, ...rest } = document
  const paths = choose(document.paths, isChosen)
  const operations = Object.values({ ...paths, ...document.webhooks }).flatMap((item) => Object.values(item))
  const tags = new Set(operations.flatMap((operation) => operation.tags ?? []))
  const schemes = [document.security ?? [], ...operations.map(({ security = [] }) => security)].flat()
  const used = usedComponents({ ...rest, paths }, components)
  for (const name of schemes.flatMap((each) => Object.keys(each))) used.add(`securitySchemes/${name}`)
  const usedOf = ([kind, parts]: [string, Entries]) => [kind, choose(parts, (name) => used.has(`${kind}/${name}`))]
  return {
    ...document,
    components: Object.fromEntries(Object.entries(components).map(usedOf)),
    paths,
    tags: document.tags.filter(({ name }) => tags.has(name)),
  }
}

/** Returns the components to which a part refers, directly or through others, as `schemas/Card`. */
function usedComponents(part: unknown, components: Readonly<Record<string, Entries>>, used = new Set<string>()) {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)) {
    if (used.has(`${kind}/${name}`)) continue
    used.add(`${kind}/${name}`)
    usedComponents(components[kind]?.[name], components, used)
  }
  return used
}

function choose<Value>(parts: Readonly<Record<string, Value>>, isChosen: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(parts).filter(([name]) => isChosen(name)))
}
