import fc from 'fast-check'

/*
 * What makes values up for tests. They are the same ones each time in `make test`, so that a change is refused for what
 * it does and not for what chance found; `make test-long` makes up others, unless SEED brings those of a failure back.
 */

const { SEED, LONG_TESTS } = process.env
if (SEED || !LONG_TESTS) fc.configureGlobal({ seed: Number(SEED || 1) })

export default fc
