import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { projectFolder } from './installation.ts'

/** The last commit of the first release. */
const RELEASE = 'b7b0100'

/**
 * The folder of the release before this one, built from the history of the project; once, since that takes a minute and
 * the registry. Undefined where the history does not reach back.
 */
export async function builtRelease(commit = RELEASE): Promise<string | undefined> {
  const folder = join(projectFolder, 'node_modules/.cache/releases', commit)
  if (existsSync(join(folder, 'dist'))) return folder
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: projectFolder, stdio: 'ignore' })
  } catch {
    return undefined
  }
  execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C '${draft}'`], { cwd: projectFolder })
  execFileSync('npm', ['ci', '--silent', '--omit=optional', '--ignore-scripts'], {
    cwd: draft,
    stdio: 'inherit',
  })
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: draft, stdio: 'inherit' })
  await rm(folder, { recursive: true, force: true })
  await rename(draft, folder)
  return folder
}
