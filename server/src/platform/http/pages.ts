import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A page of our own, with the security policy that allows only its own style and script. */
export type Page = { readonly html: string; readonly policy: string }

const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** Returns the URL of a request, with `localhost` in place of its host. Use only the path and the query. */
export const urlOf = ({ url }: Pick<FastifyRequest, 'url'>): URL => new URL(url, 'http://localhost')

/** Returns the language that the URL names, as in `?lang=de`, else the one that the browser prefers. */
export function languageOf(request: Pick<FastifyRequest, 'url' | 'headers'>): Language {
  const named = urlOf(request).searchParams.get('lang') ?? ''
  const tags = [named, ...acceptedTags(request.headers['accept-language'] ?? '')].map((tag) => tag.slice(0, 2))
  return tags.flatMap((tag) => languages.filter((language) => language === tag))[0] ?? 'en'
}

/**
 * Returns the tags of an Accept-Language header by their weights, as in `de;q=0.7, en` (RFC 9110, 12.5.4). The header
 * may be long and hostile, so it is not read by a regular expression.
 */
function acceptedTags(header: string): string[] {
  return header
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice('q='.length)) }
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
}

type PageParts = {
  readonly language: Language
  readonly title: string
  readonly style: string
  readonly script?: string
  readonly body: string
  /** The attributes of the body element. The script reads its input from them, because its own text is fixed. */
  readonly data?: Readonly<Record<string, string>>
}

export function buildPage({ language, title, style, script, body, data = {} }: PageParts): Page {
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
  const scripts = script === undefined ? '' : `<script>${script}</script>`
  return {
    html: `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head><body${attributes.join('')}>${body}${scripts}</body></html>
`,
    policy: [
      "default-src 'none'",
      `style-src ${hashOf(style)}`,
      ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
      "form-action 'self'",
      "base-uri 'none'",
    ].join('; '),
  }
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

declare module 'fastify' {
  interface FastifyReply {
    /** The security policy of a page; null: the response is not a page. */
    pagePolicy: string | null
  }
}

/** Prepares a scope whose routes serve pages: other sites may embed them, but no script of theirs can read them. */
export function servePages(scope: FastifyInstance): void {
  scope.decorateReply('pagePolicy', null)
  scope.addHook('onSend', async (_request, reply) => {
    if (reply.pagePolicy !== null) reply.header('content-security-policy', reply.pagePolicy)
    reply.header('cache-control', 'no-store')
    for (const name of ['x-frame-options', 'access-control-allow-origin', 'access-control-expose-headers']) {
      reply.removeHeader(name)
    }
  })
}

/** Sends a page. `embedders` is the policy's list of the sites that may embed it; null: any. */
export function sendPage(reply: FastifyReply, { html, policy }: Page, embedders: string | null = null): FastifyReply {
  reply.pagePolicy = embedders === null ? policy : `${policy}; frame-ancestors ${embedders}`
  return reply.header('content-type', 'text/html; charset=utf-8').send(html)
}
