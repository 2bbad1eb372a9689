let offsetMs = 0

/** Time of the service: the machine's, moved by an offset in sandbox mode, where the database has the same offset. */
export const currentTime = (): Date => new Date(Date.now() + offsetMs)

/** Moves the time of this process. Elapsed time is measured by `performance.now()` and does not move. */
export function moveClock(milliseconds: number) {
  offsetMs = milliseconds
}
