import { types } from 'node:util'

/*
 * Tests run in a sandbox with an `Error` of its own, which errors that Node itself makes (a refused
 * connection, a missing file) are no instances of. In the service they are, so they are here too.
 */
Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown) {
    return this === Error
      ? types.isNativeError(value)
      : Function.prototype[Symbol.hasInstance].call(this, value)
  },
})
