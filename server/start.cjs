#!/usr/bin/env node
/*
 * The command of the package: `npx bot-builder-service` runs the service in the current folder, whose `.data` holds its
 * data, and `npx bot-builder-service admin user list` the command beside it.
 */
require('./supported.cjs')
process.setSourceMapsEnabled(true)

const [, , word, ...rest] = process.argv
if (word === 'admin') {
  process.argv = [...process.argv.slice(0, 2), ...rest]
  void import('../dist/server/admin.js')
} else if (word === undefined) {
  void import('../dist/server/main.js')
} else {
  console.error(
    'Without words this runs the service; settings are environment variables. With admin it runs a command.',
  )
  process.exit(1)
}
