import { type Agent, get } from 'node:http'

/** The small read that the limits are measured with. */
export const SMALL_READ = '/v1/workspaces'

/** Sends the small read and gives the status of its answer once that is complete. */
export function statusOf(agent: Agent, port: number, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` }
    const asked = get({ agent, host: '127.0.0.1', port, path: SMALL_READ, headers }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode as number)).once('error', reject)
    })
    asked.once('error', reject)
  })
}
