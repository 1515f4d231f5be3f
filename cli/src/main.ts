#!/usr/bin/env node
import manifest from '../package.json' with { type: 'json' }

// Scripts often ask for the version, so printing it loads no other module.
const [first, ...rest] = process.argv.slice(2)
if (first === '--version' && rest.length === 0) process.stdout.write(`${manifest.version}\n`)
else await import('./program.ts')
