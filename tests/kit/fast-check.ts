import fc from 'fast-check'

/*
 * Generates values for tests. `make test` uses the same values each time, so that a change fails for its own errors
 * and not by chance. `make test-long` generates others; SEED repeats those of a failure.
 */

const { SEED, LONG_TESTS } = process.env
if (SEED || !LONG_TESTS) fc.configureGlobal({ seed: Number(SEED || 1) })

export default fc
