import { createServer } from 'node:net'
import type { Config } from '../config.ts'
import { leave } from '../log.ts'

type Place = Pick<Config, 'PORT' | 'HOST'>

/** Explains why the service cannot listen, and what to change. */
export function whyNotListening(error: NodeJS.ErrnoException, { PORT, HOST }: Place): string {
  const ways: Record<string, string> = {
    EADDRINUSE: `the port ${PORT} is in use (EADDRINUSE): set PORT to another one`,
    EACCES: `this account may not listen on the port ${PORT}: set PORT to one above 1023`,
    EADDRNOTAVAIL: `this machine has no address ${HOST}: set HOST to one that it has, or to nothing`,
    ENOTFOUND: `the name ${HOST} is not known: set HOST to an address of this machine, or to nothing`,
  }
  return `Cannot listen: ${ways[error.code ?? ''] ?? error.message}`
}

/**
 * Checks the port before a database is started, which takes seconds. A process that takes the port meanwhile is
 * detected later.
 */
export async function refuseUsedPort({ PORT, HOST }: Place): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: PORT, host: HOST }, resolve)
  }).catch((error) => leave(whyNotListening(error, { PORT, HOST })))
  await new Promise((resolve) => server.close(resolve))
}
