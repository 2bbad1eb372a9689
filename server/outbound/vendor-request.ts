import type { VendorRequest } from '../../contract/bot-document/blocks/vendors/vendor.ts'
import type { OutboundRequest } from './client.ts'

/** The request of a row as it is sent. */
export async function encodeRequest(
  base: string,
  { method = 'POST', path, query = {}, headers: given = {}, json, form, parts }: VendorRequest,
): Promise<Omit<OutboundRequest, 'milliseconds'>> {
  const search = new URLSearchParams(filledEntries(query)).toString()
  const url = `${base}${path}${search === '' ? '' : `${path.includes('?') ? '&' : '?'}${search}`}`
  const headers = { ...given }
  if (json !== undefined) {
    return {
      url,
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(json),
    }
  }
  if (form !== undefined) {
    const body = new URLSearchParams(filledEntries(form)).toString()
    return { url, method, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers }, body }
  }
  if (parts === undefined) return { url, method, headers }
  const data = new FormData()
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === 'string') data.append(name, part)
    else {
      const type = part.mediaType === undefined ? {} : { type: part.mediaType }
      data.append(name, new Blob([part.bytes as Uint8Array<ArrayBuffer>], type), part.name)
    }
  }
  const encoded = new Response(data)
  const type = encoded.headers.get('content-type') ?? ''
  return {
    url,
    method,
    headers: { 'content-type': type, ...headers },
    body: new Uint8Array(await encoded.arrayBuffer()),
  }
}

function filledEntries(given: Record<string, string | undefined>): [string, string][] {
  return Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)
}
