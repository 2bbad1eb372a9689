import { baseUrl, token } from '../support.ts'

/** Sends what the generated functions ask for: adds where to and who calls. */
export async function serviceFetch<Answer>(path: string, options: RequestInit): Promise<Answer> {
  const headers = { Authorization: `Bearer ${token}`, ...options.headers }
  const response = await fetch(new URL(path, baseUrl), { ...options, headers })
  return { status: response.status, headers: response.headers, data: await response.json() } as Answer
}
