export default async function tearDown() {
  const { testServer } = globalThis as unknown as { testServer: { stop(): Promise<void> } }
  await testServer.stop()
}
