import type { OperatorRole, SessionVia } from '../lib/operator-permission.ts'
import type { Queryable, Tx } from '../platform/db/db.ts'
import type { OperatorCaller } from '../platform/http/access.ts'

export type Operator = {
  readonly address: string
  readonly contractChainId: number | null
  readonly personId: string
  readonly name: string
  readonly role: OperatorRole
  readonly addedBy: string
  readonly createdAt: Date
  readonly removedAt: Date | null
}

const operatorColumns = `o.address, o.contract_chain_id as "contractChainId", o.person_id as "personId", p.name, o.role,
  o.added_by as "addedBy", o.created_at as "createdAt", o.removed_at as "removedAt"`
const operatorsWithPeople = 'operator o join operator_person p on p.person_id = o.person_id'

/** Returns operators, the removed ones last. */
export async function findOperatorsAfter(
  db: Queryable,
  [isRemoved, createdAt, address]: readonly string[],
  limit: number,
): Promise<Operator[]> {
  return db.query<Operator>(
    `select ${operatorColumns} from ${operatorsWithPeople}
     where ((o.removed_at is not null), o.created_at, o.address) > ($1 = '1', $2, $3)
     order by (o.removed_at is not null), o.created_at, o.address limit $4`,
    [isRemoved, createdAt, address, limit],
  )
}

export async function findOperator(db: Queryable, address: string): Promise<Operator | null> {
  const [row] = await db.query<Operator>(`select ${operatorColumns} from ${operatorsWithPeople} where o.address = $1`, [
    address,
  ])
  return row ?? null
}

/** Locks the operator, so that a removal and a sign-in run one after the other. */
export async function lockOperator(tx: Tx, address: string): Promise<Operator | null> {
  const [row] = await tx.query<Operator>(
    `select ${operatorColumns} from ${operatorsWithPeople} where o.address = $1 for update of o`,
    [address],
  )
  return row ?? null
}

export type Person = { readonly personId: string; readonly name: string }

export async function insertPerson(tx: Tx, { personId, name }: Person, now: Date): Promise<void> {
  await tx.query('insert into operator_person (person_id, name, created_at) values ($1, $2, $3)', [personId, name, now])
}

export async function findPerson(db: Queryable, personId: string): Promise<Person | null> {
  const [row] = await db.query<Person>(
    'select person_id as "personId", name from operator_person where person_id = $1',
    [personId],
  )
  return row ?? null
}

export type NewOperator = Omit<Operator, 'name' | 'removedAt'>

/** Adds a wallet, or adds a removed one again. Returns false when the wallet is an operator already. */
export async function insertOperator(tx: Tx, operator: NewOperator): Promise<boolean> {
  const rows = await tx.query(
    `insert into operator (address, contract_chain_id, person_id, role, added_by, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (address) do update set contract_chain_id = excluded.contract_chain_id, person_id = excluded.person_id,
       role = excluded.role, added_by = excluded.added_by, created_at = excluded.created_at, removed_at = null
     where operator.removed_at is not null returning address`,
    [
      operator.address,
      operator.contractChainId,
      operator.personId,
      operator.role,
      operator.addedBy,
      operator.createdAt,
    ],
  )
  return rows.length > 0
}

export async function updateOperatorRole(tx: Tx, address: string, role: OperatorRole): Promise<void> {
  await tx.query('update operator set role = $2 where address = $1', [address, role])
}

export async function markOperatorRemoved(tx: Tx, address: string, now: Date): Promise<void> {
  await tx.query('update operator set removed_at = $2 where address = $1', [address, now])
}

export type OperatorSession = {
  readonly sessionId: string
  readonly address: string
  readonly via: SessionVia
  readonly createdAt: Date
  readonly usedAt: Date
  readonly expiresAt: Date
}

export async function insertOperatorSession(tx: Tx, session: OperatorSession, tokenHash: string): Promise<void> {
  await tx.query(
    `insert into operator_session (session_id, token_hash, address, via, created_at, used_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [session.sessionId, tokenHash, session.address, session.via, session.createdAt, session.usedAt, session.expiresAt],
  )
}

/**
 * Returns the operator of an open session, and restarts its idle time. The role is the current one. A request soon
 * after the last one writes nothing: a write would wait for the disk, and for other requests of the same page.
 */
export async function touchSession(
  db: Queryable,
  session: { tokenHash: string; via: SessionVia; now: Date; idleSince: Date; touchedBefore: Date },
): Promise<OperatorCaller | null> {
  const { tokenHash, via, now, idleSince, touchedBefore } = session
  const [row] = await db.query<OperatorCaller>(
    `with open as (
       select s.session_id as "sessionId", s.via, s.expires_at as "expiresAt", o.address,
         o.contract_chain_id as "contractChainId", o.person_id as "personId", p.name, o.role
       from ${operatorsWithPeople} join operator_session s on s.address = o.address
       where s.token_hash = $1 and s.via = $2 and s.used_at > $4 and s.expires_at > $3 and o.removed_at is null
     ), touched as (
       update operator_session set used_at = $3
       where session_id = (select "sessionId" from open) and used_at <= $5
     )
     select * from open`,
    [tokenHash, via, now, idleSince, touchedBefore],
  )
  return row ?? null
}

/** Returns the open sessions of a wallet, or of all operators, newest first. */
export async function findOperatorSessions(
  db: Queryable,
  { address, now, idleSince }: { address: string | null; now: Date; idleSince: Date },
  before: string,
  limit: number,
): Promise<OperatorSession[]> {
  const values = [before, limit, now, idleSince]
  return db.query<OperatorSession>(
    `select session_id as "sessionId", address, via, created_at as "createdAt", used_at as "usedAt",
       expires_at as "expiresAt"
     from operator_session
     where session_id < $1 and expires_at > $3 and used_at > $4 ${address === null ? '' : 'and address = $5'}
     order by session_id desc limit $2`,
    address === null ? values : [...values, address],
  )
}

/** Deletes a session of a wallet, or of any operator. Returns false when there is none. */
export async function deleteOperatorSession(
  db: Queryable,
  sessionId: string,
  address: string | null,
): Promise<boolean> {
  const rows = await db.query(
    'delete from operator_session where session_id = $1 and ($2::text is null or address = $2) returning session_id',
    [sessionId, address],
  )
  return rows.length > 0
}

export async function deleteSessionsOf(db: Queryable, address: string): Promise<void> {
  await db.query('delete from operator_session where address = $1', [address])
}

/** Deletes the ended sessions, and those of the wallet except its newest ones. */
export async function deleteOldSessions(
  tx: Tx,
  { address, kept, now, idleSince }: { address: string; kept: number; now: Date; idleSince: Date },
): Promise<void> {
  await tx.query('delete from operator_session where expires_at <= $1 or used_at <= $2', [now, idleSince])
  await tx.query(
    `delete from operator_session where address = $1 and session_id not in (
       select session_id from operator_session where address = $1 order by session_id desc limit $2)`,
    [address, kept],
  )
}
