import sdk = require('bot-builder-client')

async function main() {
  const given = await import('../support.ts')
  const { story } = await import('./story.ts')
  await story(sdk, given, console.log)
}

main()
