import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { information } from '../contract/index.ts'
import { root } from './root.ts'

/*
 * Makes the files of a release, in `release/` or the given folder: packages for npm and pip, archives, a bill of
 * materials, and checksums. The same commit gives the same bytes.
 */

const top = fileURLToPath(root)
const { version } = information
const name = `bot-builder-service-${version}`

function run(program: string, words: string[], folder = top): Buffer {
  return execFileSync(program, words, {
    cwd: folder,
    maxBuffer: 1024 ** 3,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Seconds since 1970 of the commit. */
const commitSeconds = Number(run('git', ['log', '-1', '--format=%ct']).toString())

/** A package as npm makes it, which leaves out times and owners. */
function pack(folder: string, output: string): void {
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', output], join(top, folder))
}

/** The tracked files of the commit in a folder, below some paths of it. */
function archive(file: string, prefix: string, paths: string[], folder = top): void {
  // The mask would else be that of the user's own configuration.
  const words = ['-c', 'tar.umask=0022', 'archive', '--format=tar', `--prefix=${prefix}/`, 'HEAD', ...paths]
  const tar = run('git', words, folder)
  // Gzip of Node writes no time.
  writeFileSync(file, gzipSync(tar, { level: 9 }))
}

/** The bill of materials of npm, without its random number and its time. */
function writeBill(file: string): void {
  const words = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only']
  const bill = JSON.parse(run('npm', words).toString())
  bill.metadata.timestamp = new Date(commitSeconds * 1_000).toISOString()
  delete bill.serialNumber
  const digest = createHash('sha256').update(JSON.stringify(bill)).digest('hex')
  const groups = /^(.{8})(.{4})(.{3})(.{3})(.{12})/.exec(digest) as RegExpExecArray
  bill.serialNumber = `urn:uuid:${groups[1]}-${groups[2]}-8${groups[3]}-8${groups[4]}-${groups[5]}`
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`)
}

function writeSums(output: string, names: string[]): void {
  const lines = names.map((file) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(output, file)))
      .digest('hex')
    return `${digest}  ${file}\n`
  })
  writeFileSync(join(output, 'SHA256SUMS'), lines.join(''))
}

if (run('git', ['status', '--porcelain']).length > 0) {
  process.stderr.write('A release is made of a commit: commit or remove what `git status` lists.\n')
  process.exit(1)
}
const output = resolve(process.argv[2] ?? join(top, 'release'))
rmSync(output, { recursive: true, force: true })
mkdirSync(output, { recursive: true })
for (const folder of ['.', 'generated/client', 'dist/command']) pack(folder, output)
const python = `bot_builder_client-${version}`
archive(join(output, `${python}.tar.gz`), python, ['.'], join(top, 'generated/python-client'))
archive(join(output, `${name}-source.tar.gz`), name, ['.'])
archive(join(output, `${name}-deploy.tar.gz`), name, ['compose.yaml', 'Dockerfile', 'server/deploy'])
writeBill(join(output, `${name}.cdx.json`))
writeFileSync(join(output, `openapi-${version}.yaml`), readFileSync(join(top, 'openapi.yaml')))
writeSums(output, readdirSync(output).sort())
process.stdout.write(readFileSync(join(output, 'SHA256SUMS')))
