import type { RequestHandler } from 'express'
import { asciiHost } from '../../contract/shared.ts'
import type { Database } from '../db/client.ts'
import { sendProblem } from '../kit/response.ts'
import { isBotHost } from './domains.ts'
import { type HostReader, MAX_HOST_CHARACTERS } from './visited.ts'

/** Responds if the service serves a host, for proxies that check before they get a certificate for it. */
export function serveKnownHosts(
  serve: (path: string, handler: RequestHandler) => void,
  db: Database,
  { isOwn }: HostReader,
): void {
  serve('/hosts/known', async (request, response) => {
    const given = new URLSearchParams(request.url.replace(/^[^?]*/, '')).getAll('domain')
    const [name = ''] = given
    if (given.length !== 1 || name.length > MAX_HOST_CHARACTERS || asciiHost(name) === undefined) {
      const message = 'Send one query parameter `domain` with a host name, such as chat.example.com'
      return sendProblem(response, 'BAD_REQUEST', [
        { path: ['query', 'domain'], code: 'invalid_format', message },
      ])
    }
    const host = asciiHost(name) as string
    if (isOwn(host) || (await isBotHost(db, host))) return response.json({ status: 'ok' })
    const message = 'No bot has a domain on this host'
    return sendProblem(response, 'NOT_FOUND', [
      { path: ['query', 'domain'], code: 'unknown_record', message },
    ])
  })
}
