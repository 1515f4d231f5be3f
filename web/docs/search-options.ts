import type { Options } from 'minisearch'

/** The entry of a section or an operation. Its id is the address below /docs/. */
export type Entry = { id: string; title: string; heading: string; text: string; excerpt: string }

/** The build writes the index, and the page reads it, with the same options. */
export const searchOptions: Options<Entry> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'excerpt'],
  // Names such as CARD_NOT_FOUND and card.created are found whole and by their words.
  tokenize: (text) => text.split(/[^\p{L}\p{N}_.]+/u).flatMap((word) => [...new Set([word, ...word.split(/[_.]/)])]),
  searchOptions: {
    boost: { title: 4, heading: 3 },
    // A page comes before its parts.
    boostDocument: (id) => (/^(?!reference).*#/.test(id) ? 1 : 2),
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    combineWith: 'AND',
  },
}
