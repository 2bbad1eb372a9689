import { buildChanged } from './support/build.ts'

/** Once before all tests: threads of the sandbox run from the build. */
export default buildChanged
