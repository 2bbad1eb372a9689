/*
 * Parts of a body that a response has unchanged from its request, such as those of a document. They are not stored with
 * the response of an idempotency key: a repeat of the request has the same bytes.
 */

/** A smaller part is stored again. */
const MIN_PART_BYTES = 1_024

/** Maximum parts of a response, and length of their names. The search for each may read all of the response. */
const MAX_PARTS = 8
const MAX_NAME_CHARACTERS = 100

/** Place of a part in the stored rest of the response, place in the body of the request, and length; in bytes. */
export type RequestPart = readonly [at: number, from: number, length: number]

/**
 * Takes the parts of a request out of a response. `texts` are the values of properties in the body of the request; one
 * is taken out where the response has the same bytes at its first property of the same name, the largest ones only.
 */
export function takeRequestParts(
  response: Buffer,
  request: Buffer,
  texts: Iterable<readonly [name: string, text: Buffer]>,
): { rest: Buffer; parts: RequestPart[] } {
  const candidates: { name: string; text: Buffer; from: number }[] = []
  for (const [name, text] of texts) {
    const from = text.byteOffset - request.byteOffset
    // A text without its white space is elsewhere.
    const isWithin = text.buffer === request.buffer && from >= 0 && from + text.length <= request.length
    const isSought = text.length >= MIN_PART_BYTES && name.length <= MAX_NAME_CHARACTERS
    if (isSought && isWithin) candidates.push({ name, text, from })
  }
  candidates.sort((one, other) => other.text.length - one.text.length)
  const found: { at: number; from: number; length: number }[] = []
  for (const { name, text, from } of candidates.slice(0, MAX_PARTS)) {
    const { length } = text
    const key = `"${name}":`
    const keyAt = response.indexOf(key)
    const at = keyAt + key.length
    if (keyAt >= 0 && response.subarray(at, at + length).equals(text)) found.push({ at, from, length })
  }
  found.sort((one, other) => one.at - other.at)
  const rest: Buffer[] = []
  const parts: RequestPart[] = []
  let end = 0
  let restLength = 0
  for (const { at, from, length } of found) {
    // The first property of a name may be one within another part.
    if (at < end) continue
    rest.push(response.subarray(end, at))
    restLength += at - end
    parts.push([restLength, from, length])
    end = at + length
  }
  rest.push(response.subarray(end))
  return { rest: Buffer.concat(rest), parts }
}

/** Puts the parts of a request back into the rest of its response. */
export function addRequestParts(rest: Buffer, request: Buffer, parts: readonly RequestPart[]): Buffer[] {
  const pieces: Buffer[] = []
  let end = 0
  for (const [at, from, length] of parts) {
    pieces.push(rest.subarray(end, at), request.subarray(from, from + length))
    end = at
  }
  return [...pieces, rest.subarray(end)]
}
