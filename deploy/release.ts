import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Builds and checks a release in `dist/`: the packages of client and command line, the built server, the image, the
 * SBOM, the changes, and checksums. The version is that of package.json. A release needs a clean work tree and a dated
 * section of CHANGELOG.md, and adds a tag. A dry run also accepts uncommitted changes and a section without a date, and
 * adds no tag. The image needs Debian 12.
 *
 * Run:  npm run release -- [--dry-run] [--no-image]
 */
const root = join(import.meta.dirname, '..')
const options = { 'dry-run': { type: 'boolean', default: false }, image: { type: 'boolean', default: true } } as const
const { 'dry-run': isDry, image: hasImage } = parseArgs({ options, allowNegative: true }).values

const run = (program: string, ...words: string[]) =>
  execFileSync(program, words, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Runs a program that reports its progress. */
function runVisibly(program: string, ...words: string[]): void {
  execFileSync(program, words, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
}

const manifestOf = (folder: string): { name: string; version: string; workspaces?: string[] } =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

const { version, workspaces = [] } = manifestOf('.')
const folder = join(root, 'dist', `release-${version}`)

/** Returns the section of CHANGELOG.md for this version. */
function changes(): string {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## \[)/m)
  const section = sections.find((each) => each.startsWith(`## [${version}]`))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section [${version}]. Add one.`)
  const [title = '', ...lines] = section.trim().split('\n')
  if (lines.join('').trim() === '')
    throw new Error(`The section [${version}] of CHANGELOG.md is empty. Add the changes.`)
  if (!isDry && !/ - \d{4}-\d{2}-\d{2}$/.test(title)) {
    throw new Error(`"${title}" has no date. Write the date of the release, such as "## [${version}] - 2026-01-31".`)
  }
  return `${lines.join('\n').trim()}\n`
}

/**
 * Packs the repository with what is built and without its history, ready for `npm ci --omit=dev`. Returns the archive.
 */
function packServer(): string {
  const name = `purser-server-${version}`
  const staging = mkdtempSync(join(tmpdir(), 'purser-release-'))
  const files = run('git', 'ls-files', '-z')
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
  for (const file of files) cpSync(join(root, file), join(staging, name, file), { recursive: true })
  for (const built of ['web/dist', 'server/dist'])
    cpSync(join(root, built), join(staging, name, built), { recursive: true })
  // Equal contents give equal bytes, and so equal checksums.
  const date = run('git', 'log', '-1', '--format=%cI').trim()
  const equal = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=${date}`]
  const archive = join(folder, `${name}.tar.gz`)
  run('tar', ...equal, '-I', 'gzip -n', '-cf', archive, '-C', staging, name)
  rmSync(staging, { recursive: true })
  return archive
}

function main(): void {
  const others = workspaces.filter((each) => manifestOf(each).version !== version)
  if (others.length > 0)
    throw new Error(
      `These packages lack the version ${version} of package.json: ${others.join(', ')}. Set it there too.`,
    )
  if (!isDry && run('git', 'status', '--porcelain') !== '')
    throw new Error('The work tree has changes. Commit them first.')
  const notes = changes()

  runVisibly('npm', 'run', '-s', 'build:web')
  runVisibly(process.execPath, 'server/build.ts')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'CHANGES.md'), notes)
  writeFileSync(join(folder, 'sbom.json'), run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'))
  for (const each of ['client', 'cli']) run('npm', 'pack', '-w', each, '--pack-destination', folder)
  runVisibly('deploy/checks/server.sh', packServer())
  if (hasImage) {
    const image = join(folder, `purser-image-${version}.tar`)
    runVisibly('deploy/image/build.sh', image)
    runVisibly('env', `IMAGE=${image}`, 'deploy/checks/image.sh')
  }

  const files = readdirSync(folder).sort()
  const sum = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex')
  writeFileSync(join(folder, 'SHA256SUMS'), files.map((file) => `${sum(file)}  ${file}\n`).join(''))
  run('sh', '-c', `cd '${folder}' && sha256sum --check --quiet SHA256SUMS`)
  if (!isDry) run('git', 'tag', '-a', `v${version}`, '-m', `Purser ${version}`)

  const packages = files.filter((file) => file.endsWith('.tgz'))
  console.log(`${isDry ? 'Dry run: nothing is tagged. ' : ''}The release ${version} is in dist/release-${version}:`)
  for (const file of [...files, 'SHA256SUMS']) {
    console.log(`  ${String(Math.ceil(readFileSync(join(folder, file)).length / 1024)).padStart(7)} KiB  ${file}`)
  }
  console.log(`\nTo publish it:
  git push origin v${version}
${packages.map((file) => `  npm publish dist/release-${version}/${file}`).join('\n')}
  Attach the other files to the release of the tag, with CHANGES.md as its text.${hasImage ? ' Push the image.' : ''}`)
}

try {
  main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
