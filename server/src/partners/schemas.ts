import { Type } from 'typebox'
import { Address, DateTime, nullable, oneOf, Uuid } from '../platform/http/schemas.ts'
import type { ApiKey } from './api-keys.ts'
import type { AuditRow, Member } from './partners.ts'
import { roles, scopes } from './rules.ts'

/** The records that several routes of partners return. */
export const MemberRecord = Type.Object(
  { address: Address, role: oneOf(roles), createdAt: DateTime },
  { title: 'Member' },
)

export const memberRecord = ({ address, role, createdAt }: Member) => ({
  address,
  role,
  createdAt: createdAt.toISOString(),
})

export const ApiKeyRecord = Type.Object(
  {
    keyId: Uuid,
    name: Type.String(),
    lastCharacters: Type.String({ description: 'The last four characters of the key, to recognize it.' }),
    scopes: Type.Array(oneOf(scopes)),
    createdBy: Type.String({
      description:
        'The member that created the key, as in the audit log. Removing the member revokes the key, unless `keepKeys` is `true`.',
      examples: ['wallet:0xcB444e90D8198415266c6a2724b7900fb12FC56E'],
    }),
    createdAt: DateTime,
    expiresAt: nullable(DateTime),
    revokedAt: nullable(DateTime),
  },
  { title: 'ApiKey' },
)

export const apiKeyRecord = ({ createdAt, expiresAt, revokedAt, scopes, ttlInSeconds: _, ...key }: ApiKey) => ({
  ...key,
  scopes: [...scopes],
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? null,
  revokedAt: revokedAt?.toISOString() ?? null,
})

export const AuditEntry = Type.Object(
  {
    seq: Type.String(),
    actor: Type.String({ examples: ['wallet:0xcB444e90D8198415266c6a2724b7900fb12FC56E'] }),
    action: Type.String({ examples: ['member.added'] }),
    subject: Type.String(),
    detail: Type.Record(Type.String(), Type.Unknown()),
    createdAt: DateTime,
  },
  { title: 'AuditEntry' },
)

export const auditEntry = ({ seq, detail, createdAt, ...row }: AuditRow) => ({
  ...row,
  seq: String(seq),
  detail: { ...detail },
  createdAt: createdAt.toISOString(),
})

/** PostgreSQL cannot store U+0000, and rejects it in a parameter. */
const pattern = '^[^\\u0000]*$'

/** The filters of an audit log. */
export const AuditQuery = Type.Object({
  action: Type.Optional(Type.String({ maxLength: 100, pattern, examples: ['member.added'] })),
  actor: Type.Optional(Type.String({ maxLength: 100, pattern })),
  subject: Type.Optional(Type.String({ maxLength: 300, pattern, description: 'Such as the id of a user.' })),
})
