import { ConfigError, readConfig } from '../../src/config/config.ts'

/** Returns the problems of a configuration, or none. */
export function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
  }
  return []
}
