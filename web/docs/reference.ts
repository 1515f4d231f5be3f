import { document, errorCodesOf, type Operation, operations, referenceOf } from './openapi.ts'

/** Returns the twin in Markdown of the API reference, with one table per group of operations. */
export function referenceInMarkdown(): string {
  const groups = document.tags.map(({ name, description }) => {
    const rows = operations.filter(({ tags }) => tags.includes(name)).map(rowOf)
    return `## ${name}

${description}

| Operation | Purpose | Credentials | Errors |
|---|---|---|---|
${rows.join('\n')}
`
  })
  return `# API reference

The [OpenAPI document](reference/openapi.json) has the parameters, bodies and responses of each operation. The
operations of operators are in a [second document](reference/openapi.operator.json). The errors are explained in
[Error codes](errors.md).

${document.info.description.replaceAll(/^## /gm, '### ').trim()}

${groups.join('\n')}`
}

function rowOf(operation: Operation): string {
  const { method, path, summary } = operation
  const errors = errorCodesOf(operation).map((code) => `[${code}](errors/${code}.md)`)
  return `| [\`${method} ${path}\`](${referenceOf(operation)}) | ${summary} | ${credentialsOf(operation)} | ${errors.join(', ')} |`
}

/** The credentials of a request, by the names of the security schemes. */
const credentials: Readonly<Record<string, string>> = {
  bearer: 'access token',
  operator: 'session of an operator',
  sandbox: 'password of the simulator',
  issuer: 'signature of the card processor',
  screening: 'signature of the screening provider',
  kyc: 'signature of the KYC provider',
}

function credentialsOf({ security = document.security, 'x-permission': permission }: Operation): string {
  const [scheme] = Object.keys(security[0] ?? {})
  if (scheme === undefined) return 'none'
  const name = credentials[scheme]
  if (name === undefined) throw new Error(`the security scheme ${scheme} has no name`)
  return permission === undefined ? name : `${name}, permission \`${permission}\``
}
