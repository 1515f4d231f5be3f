import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { CompactSign } from 'jose'
import type { Ctx } from '../context.ts'
import { algorithm, currentKey, type KeyHolder, listKeys } from '../identity/access-tokens/keys.ts'
import { Refusal } from '../lib/errors.ts'
import {
  type EvidenceKey,
  type FindEvidence,
  findDecisions,
  findPartnerReads,
  findReads,
  findReconciliations,
  type Period,
  scanDueCardViews,
  scanDueReviewsDone,
} from './evidence-sql.ts'

/**
 * Evidence for an auditor, as lines of JSON. It has the decisions, reviews, checks of the books, card views, reveals,
 * and partners' reads of user details in a period. The last line has the SHA-256 of all bytes before it, and a JWS (RFC
 * 7515) of this hash by the key of the access tokens. The header of the JWS has its own type. The signature of an
 * access token therefore never counts as one of evidence, or vice versa. docs/operators.md explains how to verify
 * evidence.
 *
 * The lines are read and sent page by page, so the memory does not grow with the period.
 */
const maxDays = 92
/** Days are those of the operator's time zone. The period is an hour longer if the clocks go back within it. */
const maxSeconds = maxDays * 86_400 + 3_600
const pageRecords = 500
const maxRecords = 200_000
/** The number of bundles sent at the same time. A slow client keeps its bundle open. */
const maxBundles = 2
const retrySeconds = 10

/** The parts of the bundle, in their order. */
const parts: readonly (readonly [kind: string, find: FindEvidence])[] = [
  ['decision', findDecisions],
  ['review', scanDueReviewsDone],
  ['reconciliation', findReconciliations],
  ['cardView', scanDueCardViews],
  ['personalDataRead', findReads],
  ['partnerRead', findPartnerReads],
]

/** The number of bundles that this process sends. */
export type RunningBundles = { count: number }

type EvidenceCtx = KeyHolder & Pick<Ctx, 'log'>

/** Returns the stream of a bundle. Everything that can be rejected is checked before its first byte. */
export async function readEvidence(
  ctx: EvidenceCtx,
  running: RunningBundles,
  period: Period,
  by: string,
  limit = maxRecords,
): Promise<Readable> {
  const seconds = (period.to.getTime() - period.from.getTime()) / 1000
  // Also rejects an invalid date: `seconds` is then NaN.
  if (!(seconds > 0 && seconds <= maxSeconds)) throw new Refusal('PERIOD_INVALID')
  if (running.count >= maxBundles) throw new Refusal('RATE_LIMITED', retrySeconds)
  running.count++
  const stream = Readable.from(signedLines(ctx, period, by, limit), { objectMode: false })
  return stream.once('close', () => running.count--)
}

async function* signedLines(ctx: EvidenceCtx, period: Period, by: string, limit: number): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const head = { kind: 'evidence', from: period.from, to: period.to, createdAt: ctx.clock.now(), createdBy: by }
  const limits = { left: limit, isComplete: true }
  let records = 0
  const hashed = (text: string) => {
    hash.update(text)
    return text
  }
  yield hashed(lineOf({ ...head, mode: ctx.config.mode, maxRecords: limit }))
  for (const [kind, find] of parts) {
    for await (const page of pagesOf(ctx, find, period, limits)) {
      records += page.length
      yield hashed(page.map(({ record }) => lineOf({ kind, ...record })).join(''))
    }
  }
  const claims = { records, isComplete: limits.isComplete, sha256: hash.digest('hex') }
  yield lineOf({ kind: 'signature', ...claims, ...(await sign(ctx, { from: period.from, to: period.to, ...claims })) })
}

type Limits = { left: number; isComplete: boolean }

async function* pagesOf({ db }: EvidenceCtx, find: FindEvidence, period: Period, limits: Limits) {
  for (let after: EvidenceKey | undefined = { at: new Date(0), id: '00000000-0000-0000-0000-000000000000' }; after; ) {
    // One record more than allowed shows that the bundle is not complete.
    const found = await find(db, period, after, Math.min(pageRecords, limits.left + 1))
    const page = found.slice(0, limits.left)
    if (page.length < found.length) limits.isComplete = false
    limits.left -= page.length
    if (page.length > 0) yield page
    after = page.length === pageRecords ? page.at(-1) : undefined
  }
}

async function sign(ctx: EvidenceCtx, claims: object) {
  const { kid, privateKey } = await currentKey(ctx)
  const publicJwk = (await listKeys(ctx)).find((key) => key.kid === kid)?.publicJwk
  const jws = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: algorithm, kid, typ: 'purser-evidence' })
    .sign(privateKey)
  return { kid, publicJwk, jws }
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`
}
