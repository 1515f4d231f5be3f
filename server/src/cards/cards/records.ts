import { Type } from 'typebox'
import { DateTime, nullable, oneOf, Uuid } from '../../platform/http/schemas.ts'
import { cardStatuses, cardTypes } from './rules.ts'
import type { Card } from './sql.ts'

export const CardRecord = Type.Object(
  {
    cardId: Uuid,
    cardName: Type.String({ examples: ['Travel'] }),
    type: oneOf(cardTypes),
    status: oneOf(cardStatuses),
    blockedBy: Type.Array(oneOf(['owner', 'issuer', 'compliance']), { description: 'Empty unless blocked.' }),
    currency: Type.String({ examples: ['EUR'] }),
    last4: nullable(Type.String({ description: 'null until the issuer has created the card.', examples: ['6520'] })),
    expiryMonth: nullable(Type.Integer({ format: 'int32', examples: [11] })),
    expiryYear: nullable(Type.Integer({ format: 'int32', examples: [2030] })),
    createdAt: DateTime,
  },
  { $id: 'Card' },
)

/** Returns the card as the API shows it. */
export function cardRecord({ name: cardName, createdAt, userId: _userId, cardToken: _token, ...card }: Card) {
  return { ...card, blockedBy: [...card.blockedBy], cardName, createdAt: createdAt.toISOString() }
}
