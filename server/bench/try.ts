import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { spawnSync, spawn } from 'node:child_process'
import { startDatabase } from './database.ts'
import { startStorm } from './storm.ts'
const folder = await mkdtemp(tmpdir() + '/pt-')
const ours = Array.from({length: 10000}, (_, i) => `0x${(i+1).toString(16).padStart(40, 'b')}` as const)
const storm = await startStorm(ours, 1000)
const db = await startDatabase(folder)
await writeFile(folder + '/r.json', JSON.stringify(ours))
const url = await db.createPeerDatabase('ponder_x')
const c = spawn(process.execPath, ['/work/wt/chain-watcher/server/bench/peers/node_modules/ponder/dist/esm/bin/ponder.js', 'start', '-vv', '--schema', 'peer', '--port', '43999'], {cwd: '/work/wt/chain-watcher/server/bench/peers/ponder', stdio: 'inherit', env: {PATH: process.env['PATH'], HOME: folder, PONDER_TELEMETRY_DISABLED: '1', DATABASE_URL: url, URL_OF_NODE: storm.url, TOKEN: storm.token, FIRST_BLOCK: String(storm.firstBlock), LAST_BLOCK: String(storm.lastBlock), RECEIVERS: folder + '/r.json', FILTER: 'handler'}})
await new Promise(r => setTimeout(r, 12000))
c.kill('SIGTERM')
await db.stop(); await storm.stop()
