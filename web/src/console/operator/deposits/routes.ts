import type { Screen } from '../screen.ts'

export const deposits: readonly Screen[] = []
