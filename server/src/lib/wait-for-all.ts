/**
 * Returns the values of all promises, or throws the first failure in their order. Unlike `Promise.all`, it leaves none
 * of them running.
 */
export async function waitForAll<T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [Position in keyof T]: Awaited<T[Position]> }> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
