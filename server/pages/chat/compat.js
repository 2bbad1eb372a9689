/* Functions that the oldest promised browsers lack, made of those that they have. */

/** A signal that aborts with the first of these. */
export function anySignal(...signals) {
  const controller = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason)
    // Listeners end with the signal: one of a chat would gather those of every request.
    const options = { once: true, signal: controller.signal }
    signal.addEventListener('abort', () => controller.abort(signal.reason), options)
  }
  return controller.signal
}

/** The address as an object, or undefined where it is none. */
export function parseUrl(value, base) {
  try {
    return new URL(value, base)
  } catch {
    return undefined
  }
}
