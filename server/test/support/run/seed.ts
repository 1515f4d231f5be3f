/** The seed of a run of properties: stands in each test's name, and PROPERTY_SEED repeats it. */
export const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31)

/** How many times as long as usual each property is looked at, and how long that may take. */
export const times = Number(process.env['PROPERTY_TIMES'] ?? 1)
export const timeout = 60_000 * times
