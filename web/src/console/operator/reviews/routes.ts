import type { Screen } from '../screen.ts'

export const reviews: readonly Screen[] = []
