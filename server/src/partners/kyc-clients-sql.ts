import type { Queryable, Tx } from '../platform/db/db.ts'

export type KycClient = { readonly clientId: string; readonly createdAt: Date }

/** Returns the active partner that registered the client, or null. */
export async function findPartnerOfKycClient(db: Queryable, clientId: string): Promise<string | null> {
  const [row] = await db.query<{ partnerId: string }>(
    `select c.partner_id as "partnerId" from partner_kyc_client c join partner p on p.partner_id = c.partner_id
     where c.client_id = $1 and p.status = 'active'`,
    [clientId],
  )
  return row?.partnerId ?? null
}

export async function findKycClients(db: Queryable, partnerId: string): Promise<KycClient[]> {
  return db.query<KycClient>(
    `select client_id as "clientId", created_at as "createdAt" from partner_kyc_client where partner_id = $1
     order by created_at, client_id`,
    [partnerId],
  )
}

/**
 * Adds a client. An active partner takes over a client that a pending partner has added. Returns false when the client
 * is taken.
 */
export async function insertKycClient(tx: Tx, partnerId: string, client: KycClient): Promise<boolean> {
  const values = [client.clientId, partnerId, client.createdAt]
  const inserted = await tx.query(
    `insert into partner_kyc_client (client_id, partner_id, created_at) values ($1, $2, $3)
     on conflict (client_id) do nothing returning client_id`,
    values,
  )
  if (inserted.length > 0) return true
  const taken = await tx.query(
    `update partner_kyc_client c set partner_id = $2, created_at = $3 where client_id = $1
       and exists (select from partner p where p.partner_id = c.partner_id and p.status = 'pending')
       and exists (select from partner p where p.partner_id = $2 and p.status = 'active')
     returning client_id`,
    values,
  )
  return taken.length > 0
}

export async function deleteKycClients(tx: Tx, partnerId: string): Promise<void> {
  await tx.query('delete from partner_kyc_client where partner_id = $1', [partnerId])
}

export async function deleteKycClient(tx: Tx, partnerId: string, clientId: string): Promise<boolean> {
  const rows = await tx.query(
    'delete from partner_kyc_client where client_id = $1 and partner_id = $2 returning client_id',
    [clientId, partnerId],
  )
  return rows.length > 0
}
