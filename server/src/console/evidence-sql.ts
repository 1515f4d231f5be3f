import type { Queryable } from '../platform/db/db.ts'

/**
 * The records of a period, oldest first and page by page. Reviews and card views are tables of users, so a sharded
 * database asks every shard for a range of the index by time.
 */
export type Period = { readonly from: Date; readonly to: Date }

/** The key of the last record: its time, and an id that orders records of the same time. */
export type EvidenceKey = { readonly at: Date; readonly id: string }

/** A record as it is written to the bundle. Numbers that JSON cannot hold are texts. */
type EvidenceRow = EvidenceKey & { readonly record: Readonly<Record<string, unknown>> }

export type FindEvidence = (db: Queryable, period: Period, after: EvidenceKey, limit: number) => Promise<EvidenceRow[]>

const page = (at: string, id: string) =>
  `(${at}, ${id}) > ($1, $2) and ${at} >= $3 and ${at} < $4 order by ${at}, ${id} limit $5`

function find(text: string): FindEvidence {
  return (db, { from, to }, after, limit) => db.query<EvidenceRow>(text, [after.at, after.id, from, to, limit])
}

export const findDecisions = find(
  `select decided_at as at, decision_id as id, json_build_object('decisionId', decision_id, 'seq', seq::text,
     'decidedBy', decided_by, 'approvedBy', approved_by, 'decidedAt', decided_at, 'command', command,
     'subject', subject, 'reason', reason, 'breakGlass', break_glass, 'proof', proof) as record
   from operator_decision where ${page('decided_at', 'decision_id')}`,
)

export const scanDueReviewsDone = find(
  `-- scanDueReviewsDone
   select done_at as at, review_id as id, json_build_object('reviewId', review_id, 'userId', user_id,
     'subject', ref_id, 'doneBy', done_by, 'doneAt', done_at) as record
   from review where ${page('done_at', 'review_id')}`,
)

/** The data that a card view showed is not stored. */
export const scanDueCardViews = find(
  `-- scanDueCardViews
   select created_at as at, view_id as id, json_build_object('viewId', view_id, 'userId', user_id, 'cardId', card_id,
     'signer', signer_address, 'action', action, 'partnerId', partner_id, 'createdAt', created_at,
     'openedAt', opened_at) as record
   from card_view where ${page('created_at', 'view_id')}`,
)

export const findReads = find(
  `select read_at as at, read_id as id, json_build_object('readId', read_id, 'readBy', read_by, 'role', role,
     'userId', about_user, 'reason', reason, 'readAt', read_at) as record
   from personal_data_read where ${page('read_at', 'read_id')}`,
)

/** This expression, and the condition on `action` below, are those of the index `partner_audit_read`. */
const partnerReadId = "(partner_id::text || ':' || lpad(seq::text, 19, '0'))"
export const findPartnerReads = find(
  `select created_at as at, ${partnerReadId} as id, json_build_object('partnerId', partner_id, 'seq', seq::text,
     'readBy', actor, 'action', action, 'userId', subject, 'readAt', created_at) as record
   from partner_audit where action in ('user.details-read', 'user.statement-read')
     and ${page('created_at', partnerReadId)}`,
)

export const findReconciliations = find(
  `select started_at as at, run_id as id, json_build_object('runId', run_id, 'startedAt', started_at,
     'endedAt', ended_at, 'users', users, 'movements', movements, 'postings', postings, 'items', items,
     'records', records, 'badUsers', bad_users, 'badRows', bad_rows, 'firstBadRows', first_bad_rows,
     'unsealed', unsealed, 'totals', totals, 'custody', custody) as record
   from reconcile_run where ${page('started_at', 'run_id')}`,
)
