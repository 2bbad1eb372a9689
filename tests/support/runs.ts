/**
 * How many cases a test makes up: few in `make test`, which everybody waits for, and many in `make test-long`,
 * which runs just the files that ask here.
 */
export function runs(few: number, many: number): number {
  return process.env.LONG_TESTS ? many : few
}
