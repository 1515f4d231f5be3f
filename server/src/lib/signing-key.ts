/** A shared secret, and the name by which both sides know it. */
export type SigningKey = { readonly id: string; readonly secret: string }
