import { type Static, Type } from 'typebox'
import { InvalidInput } from '../../lib/errors.ts'
import { nullable, oneOf, ref, Uuid } from '../../platform/http/schemas.ts'
import { StatementItem } from '../../statement-items/schemas.ts'
import { itemTypes, parseBound } from './rules.ts'
import type { PageRequest } from './statement.ts'

/** The query and the page of a statement, for its owner and for the user's partner. */

const Bound = (description: string) =>
  Type.Unsafe<string>({
    anyOf: [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date' },
    ],
    description,
  })

const maxItems = 100

export const StatementQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      format: 'int32',
      minimum: 1,
      maximum: maxItems,
      default: maxItems,
      description: 'The maximum number of items on the page.',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: '`pagination.nextCursor` of the previous page.' })),
  startDate: Type.Optional(Bound('Inclusive. A bare date such as `2026-01-31` means its first instant (UTC).')),
  endDate: Type.Optional(Bound('Inclusive. A bare date such as `2026-01-31` means its last instant (UTC).')),
  type: Type.Optional(oneOf(itemTypes, { description: 'Only items of this type.' })),
  cardId: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Only card transactions of this card.' })),
})

export const StatementPage = Type.Object(
  {
    data: Type.Array(ref(StatementItem)),
    pagination: Type.Object({
      nextCursor: nullable(Type.String({ description: 'Opaque; null on the last page.' })),
      hasNext: Type.Boolean(),
    }),
  },
  { $id: 'StatementPage' },
)

export function pageRequestOf(query: Static<typeof StatementQuery>): PageRequest {
  const { limit = maxItems, cursor = null, startDate, endDate, type = null, cardId } = query
  const filters = {
    start: boundOf(startDate, 'start'),
    end: boundOf(endDate, 'end'),
    type,
    cardId: cardId?.toLowerCase() ?? null,
  }
  return { limit, cursor, filters }
}

function boundOf(text: string | undefined, side: 'start' | 'end'): Date | null {
  if (text === undefined) return null
  const at = parseBound(text, side)
  if (at === null) throw new InvalidInput(`querystring/${side}Date must be a time that exists`)
  return at
}
