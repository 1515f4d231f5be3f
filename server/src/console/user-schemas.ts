import { Type } from 'typebox'
import type { Card } from '../cards/cards/cards.ts'
import { blockers, cardStatuses } from '../cards/cards/rules.ts'
import { kycStatuses } from '../lib/kyc-status.ts'
import { operatorRoles } from '../lib/operator-permission.ts'
import { accountStatuses, userStatuses } from '../lib/user-status.ts'
import { Address, Amount, DateTime, nullable, oneOf, Uuid } from '../platform/http/schemas.ts'
import { publicId } from '../webhooks/rules.ts'
import { EventId } from '../webhooks/schemas.ts'
import type { PersonalData } from './rules.ts'
import type { PersonalDataRead, RevealedUser, UserDetails, UserEvent, UserSummaryRow } from './users.ts'

const Text = Type.String()
const TextOrNull = nullable(Text)

const summary = {
  userId: Uuid,
  status: oneOf(userStatuses),
  accountStatus: nullable(oneOf(accountStatuses)),
  kycStatus: oneOf(kycStatuses),
  partnerId: nullable(Uuid),
  country: TextOrNull,
  createdAt: DateTime,
}

export const UserSummary = Type.Object(
  { ...summary, email: nullable(Type.String({ description: 'Masked.' })) },
  { title: 'OperatorUserSummary' },
)

const personalData = {
  email: TextOrNull,
  firstName: TextOrNull,
  lastName: TextOrNull,
  birthDate: TextOrNull,
  nationality: TextOrNull,
  street: TextOrNull,
  city: TextOrNull,
  postalCode: TextOrNull,
  phone: TextOrNull,
  iban: TextOrNull,
}

const PersonalDataRecord = Type.Object(personalData, { title: 'PersonalData' })

export const RevealedRecord = Type.Object(
  {
    ...personalData,
    cards: Type.Array(Type.Object({ cardId: Uuid, name: Text }), { description: 'The names of all cards.' }),
  },
  { title: 'RevealedPersonalData' },
)

export const UserRecord = Type.Object(
  {
    ...summary,
    person: PersonalDataRecord,
    account: nullable(Type.Object({ accountId: Uuid, address: Address, currency: Text })),
    owners: Type.Array(
      Type.Object({ address: Address, contractChainId: nullable(Type.Integer()), createdAt: DateTime }),
    ),
    applicantId: TextOrNull,
    ibanStatus: TextOrNull,
    closedAt: nullable(DateTime),
    erasedAt: nullable(DateTime),
  },
  { title: 'OperatorUser' },
)

export const UserCard = Type.Object(
  {
    cardId: Uuid,
    name: Type.String({ description: 'Masked.' }),
    status: oneOf(cardStatuses),
    blockedBy: Type.Array(oneOf(blockers)),
    currency: Text,
    last4: TextOrNull,
    expiryMonth: nullable(Type.Integer()),
    expiryYear: nullable(Type.Integer()),
    limitPerTransaction: nullable(Amount),
    limitDaily: nullable(Amount),
    replacementId: nullable(Uuid),
    createdAt: DateTime,
  },
  { title: 'OperatorCard' },
)

export const UserEventRecord = Type.Object({ id: EventId, type: Text, createdAt: DateTime }, { title: 'OperatorEvent' })

export const PersonalDataReadRecord = Type.Object(
  { readId: Uuid, readBy: Address, role: oneOf(operatorRoles), userId: Uuid, reason: Text, readAt: DateTime },
  { title: 'PersonalDataRead' },
)

function summaryOf({ userId, status, accountStatus, kycStatus, partnerId, country, createdAt }: UserSummaryRow) {
  return { userId, status, accountStatus, kycStatus, partnerId, country, createdAt: createdAt.toISOString() }
}

/** `email` is masked already. */
export function userSummary(user: UserSummaryRow) {
  return { ...summaryOf(user), email: user.email }
}

function personOf(person: PersonalData) {
  const { email, firstName, lastName, birthDate, nationality, street, city, postalCode, phone, iban } = person
  return { email, firstName, lastName, birthDate, nationality, street, city, postalCode, phone, iban }
}

export function revealedRecord({ user, cards }: RevealedUser) {
  return { ...personOf(user), cards: cards.map(({ cardId, name }) => ({ cardId, name })) }
}

export function userRecord({ user, owners }: UserDetails) {
  const { accountId, address, currency, applicantId, ibanStatus, closedAt, erasedAt } = user
  const hasAccount = accountId !== null && address !== null && currency !== null
  return {
    ...summaryOf(user),
    ...{ applicantId, ibanStatus },
    person: personOf(user),
    account: hasAccount ? { accountId, address, currency } : null,
    owners: owners.map((owner) => ({
      address: owner.address,
      contractChainId: owner.contractChainId,
      createdAt: owner.createdAt.toISOString(),
    })),
    closedAt: closedAt?.toISOString() ?? null,
    erasedAt: erasedAt?.toISOString() ?? null,
  }
}

export function userEvent({ eventId, type, createdAt }: UserEvent) {
  return { id: publicId(eventId), type, createdAt: createdAt.toISOString() }
}

export function personalDataRead({ readId, readBy, role, aboutUser, reason, readAt }: PersonalDataRead) {
  return { readId, readBy, role, userId: aboutUser, reason, readAt: readAt.toISOString() }
}

/** `name` is masked already. */
export function userCard({ userId: _owner, cardToken: _token, type: _type, createdAt, ...card }: Card) {
  return {
    ...card,
    blockedBy: [...card.blockedBy],
    limitPerTransaction: card.limitPerTransaction === null ? null : String(card.limitPerTransaction),
    limitDaily: card.limitDaily === null ? null : String(card.limitDaily),
    createdAt: createdAt.toISOString(),
  }
}
