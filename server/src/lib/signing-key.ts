/** A shared secret with the id by which both sides name it. */
export type SigningKey = { readonly id: string; readonly secret: string }
