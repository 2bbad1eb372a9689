import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from './installation.ts'

/** The last commit of the first release. */
const RELEASE = 'b7b0100'

/**
 * The folder of the release before this one, built from the history of the project; once, since that takes a minute and
 * the registry. Undefined where the history does not reach back.
 */
export async function builtRelease(): Promise<string | undefined> {
  const folder = join(projectFolder, 'node_modules/.cache/releases', RELEASE)
  if (existsSync(join(folder, 'dist'))) return folder
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  if (!unpack(draft, '--omit=optional')) return undefined
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: draft, stdio: 'inherit' })
  await rm(folder, { recursive: true, force: true })
  await rename(draft, folder)
  return folder
}

/**
 * A new folder with the release before this one and what its tests need, for who calls to remove: Jest finds no tests
 * below a `node_modules`. Undefined where the history does not reach back.
 */
export async function releaseWithTests(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'bots-release-'))
  if (unpack(folder)) return folder
  await rm(folder, { recursive: true })
  return undefined
}

/** Unpacks the release into the folder, with its packages; false if the history does not have it. */
function unpack(folder: string, ...options: string[]): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${RELEASE}^{commit}`], { cwd: projectFolder, stdio: 'ignore' })
  } catch {
    return false
  }
  execFileSync('sh', ['-c', `git archive ${RELEASE} | tar -x -C '${folder}'`], { cwd: projectFolder })
  execFileSync('npm', ['ci', '--silent', '--ignore-scripts', ...options], { cwd: folder, stdio: 'inherit' })
  return true
}
