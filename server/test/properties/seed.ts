/** The seed of a run of properties: stands in each test's name, and PROPERTY_SEED repeats it. */
export const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31)
