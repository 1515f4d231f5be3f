import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'

/**
 * Compiles the contracts and writes one artifact per contract: its ABI and its creation bytecode.
 * With `--check` it writes nothing, and fails if a committed artifact differs from the compiled one.
 */
const folder = join(import.meta.dirname, '../../contracts')
// The JavaScript build of the compiler has no types.
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
    // The newest EVM version that all supported chains have.
    evmVersion: 'paris',
    // Deterministic bytecode, without a hash of the sources: deposit addresses are derived from it.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  }
  // The shape is documented by the compiler.
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }))) as Output
  const errors = output.errors ?? []
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const artifacts = new Map<string, string>()
  for (const contracts of Object.values(output.contracts ?? {})) {
    for (const [name, { abi, evm }] of Object.entries(contracts)) {
      if (evm.bytecode.object === '') continue
      if (artifacts.has(name)) throw new Error(`two contracts are named ${name}`)
      const lines = [`"abi": ${JSON.stringify(abi)}`, `"bytecode": "0x${evm.bytecode.object}"`]
      artifacts.set(name, `{\n  ${lines.join(',\n  ')}\n}\n`)
    }
  }
  return artifacts
}

const artifactFolder = join(folder, 'artifacts')
await mkdir(artifactFolder, { recursive: true })
for (const [name, artifact] of compile(await readSources())) {
  const file = join(artifactFolder, `${name}.json`)
  if (!process.argv.includes('--check')) {
    await writeFile(file, artifact)
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== artifact) {
    process.stderr.write(
      `${basename(file)} does not match its source. Run npm run build:contracts and commit the result.\n`,
    )
    process.exitCode = 1
  }
}
