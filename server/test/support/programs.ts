import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Returns the paths of every program of this name on this machine, except those of npm packages. */
export const programs = (name: string): string[] =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, name))
    .filter((file) => existsSync(file))

export const majorOf = (node: string): number => Number(/\d+/.exec(String(execFileSync(node, ['--version'])))?.[0])

/**
 * The oldest Node.js of this machine, because packages must work in it. With REQUIRE_NODE_20, it must be Node.js 20.
 */
export const [oldestNode = process.execPath] = programs('node').sort((one, other) => majorOf(one) - majorOf(other))
