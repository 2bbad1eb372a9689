/* Ends a Node that is too old with a sentence, before it reads sources that it cannot. */
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 15)) {
  console.error(
    `Node 20.15 or newer is needed, this is ${process.versions.node}: install a newer one from https://nodejs.org`,
  )
  process.exit(1)
}
