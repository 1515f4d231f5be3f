import type { Screen } from '../screen.ts'

export const search: readonly Screen[] = []
