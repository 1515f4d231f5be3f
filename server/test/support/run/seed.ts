/** The seed of the property tests. Each test title contains it, and PROPERTY_SEED repeats a run. */
export const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31)

/** Multiplies the number of runs of each property, and its timeout. */
export const times = Number(process.env['PROPERTY_TIMES'] ?? 1)
export const timeout = 600_000 * times
