export const hidden = '•••'

/** Keeps the first character, which may be a surrogate pair. */
export function maskName(name: string): string {
  return `${[...name][0] ?? ''}${hidden}`
}
