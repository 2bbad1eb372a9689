import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { information } from '../contract/index.ts'
import { root } from './root.ts'

/*
 * Makes what a release consists of, in `release/` or the folder that is named: packages for npm and pip, archives, a bill of
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

/** Seconds since 1970 of the commit: files in archives get it, since their own times differ from checkout to checkout. */
const commitSeconds = Number(run('git', ['log', '-1', '--format=%ct']).toString())

/** A package as npm makes it, which leaves out times and owners. */
function pack(folder: string, output: string): void {
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', output], join(top, folder))
}

/** The tracked files of the commit, below some paths. */
function archive(file: string, paths: string[]): void {
  const tar = run('git', ['archive', '--format=tar', `--prefix=${name}/`, 'HEAD', ...paths])
  // Gzip of Node writes no time.
  writeFileSync(file, gzipSync(tar, { level: 9 }))
}

/** Packages of Python are archives of their sources. */
function archivePython(output: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'bots-release-'))
  try {
    const inner = `bot_builder_client-${version}`
    cpSync(join(top, 'generated/python-client'), join(folder, inner), { recursive: true })
    const words = [
      '--create',
      '--format=ustar',
      '--sort=name',
      `--mtime=@${commitSeconds}`,
      '--owner=0',
      '--group=0',
    ]
    const tar = run('tar', [...words, '--numeric-owner', '--mode=u=rwX,go=rX', inner], folder)
    writeFileSync(join(output, `${inner}.tar.gz`), gzipSync(tar, { level: 9 }))
  } finally {
    rmSync(folder, { recursive: true })
  }
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

const output = resolve(process.argv[2] ?? join(top, 'release'))
rmSync(output, { recursive: true, force: true })
mkdirSync(output, { recursive: true })
for (const folder of ['.', 'generated/client', 'dist/command']) pack(folder, output)
archivePython(output)
archive(join(output, `${name}-source.tar.gz`), ['.'])
archive(join(output, `${name}-deploy.tar.gz`), ['compose.yaml', 'Dockerfile', 'server/deploy'])
writeBill(join(output, `${name}.cdx.json`))
writeFileSync(join(output, `openapi-${version}.yaml`), readFileSync(join(top, 'openapi.yaml')))
writeSums(output, readdirSync(output).sort())
process.stdout.write(readFileSync(join(output, 'SHA256SUMS')))
