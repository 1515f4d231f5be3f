import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

/**
 * Compiles `contracts` and writes one artifact a contract: its ABI and the bytecode that creates it.
 * With `--check` it writes nothing and fails when a committed artifact differs from what the sources give.
 */
const folder = join(import.meta.dirname, '../../contracts')
// A JavaScript build of the compiler without types of its own; loading it takes a second, so that only this script does.
const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')

type Compiled = { readonly abi: unknown; readonly evm: { readonly bytecode: { readonly object: string } } }
type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, Compiled>>>>
}

async function readSources(): Promise<Record<string, { content: string }>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sol')).sort()
  const entries = names.map(async (name) => [name, { content: await readFile(join(folder, name), 'utf8') }] as const)
  return Object.fromEntries(await Promise.all(entries))
}

function compile(sources: Record<string, { content: string }>): Map<string, string> {
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    // The newest rules that every chain of a programme is sure to have.
    evmVersion: 'paris',
    // The same bytes wherever and whenever it is compiled.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  }
  // The compiler's own answer, whose shape its documentation fixes.
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }))) as Output
  const complaints = output.errors ?? []
  if (complaints.length > 0) throw new Error(complaints.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const artifacts = new Map<string, string>()
  for (const contracts of Object.values(output.contracts ?? {})) {
    for (const [name, { abi, evm }] of Object.entries(contracts)) {
      if (evm.bytecode.object === '') continue
      if (artifacts.has(name)) throw new Error(`two contracts are called ${name}`)
      const lines = [`"abi": ${JSON.stringify(abi)}`, `"bytecode": "0x${evm.bytecode.object}"`]
      artifacts.set(name, `{\n  ${lines.join(',\n  ')}\n}\n`)
    }
  }
  return artifacts
}

const place = join(folder, 'artifacts')
await mkdir(place, { recursive: true })
for (const [name, wanted] of compile(await readSources())) {
  const file = join(place, `${name}.json`)
  if (!process.argv.includes('--check')) {
    await writeFile(file, wanted)
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== wanted) {
    process.stderr.write(`${basename(file)} is not what the sources give: run npm run build:contracts and commit it\n`)
    process.exitCode = 1
  }
}
